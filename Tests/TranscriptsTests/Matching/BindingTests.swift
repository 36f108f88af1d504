import Testing
import Transcripts

struct BindingTests {
    @Test func `a key is bound when it first comes, and sent in place of the transcript's`() throws {
        let play = try Play(
            """
            > {"id":1,"method":"open"}
            < {"id":1,"result":{"session":1,"key":"E"}}
            > {"id":2,"method":"attach", "params":{"key":"E","arguments":{"key":"E"}}}
            2> [{"id":"E","method":"attach","params":{"key":"E"}}]
            < {"id":2,"result":{"navigation":{"stack":[{"key":"E"}]},"note":"E","event":{"key":"E"},"arguments":"E"}}
            """)
        #expect(try play.advance() == ["connect 1", #"{"id":1,"method":"open"}"#])
        #expect(
            try play.receive(#"{"id":1,"result":{"session":1,"key":"A"}}"#) == [
                #"{"id":2,"method":"attach","params":{"key":"A","arguments":{"key":"E"}}}"#, "connect 2",
                #"2 [{"id":"E","method":"attach","params":{"key":"A"}}]"#,
            ])
        let answer =
            #"{"id":2,"result":{"navigation":{"stack":[{"key":"A"}]},"note":"A","event":{"key":"E"},"arguments":"A"}}"#
        #expect(try play.receive(answer) == ["finish"])
    }

    @Test(arguments: [
        (#"{"key":"B"}"#, #"line 4 /params/key: expected "E", which is "A" here, but "B" came"#),
        (#"{"key":"E"}"#, #"line 4 /params/key: expected "E", which is "A" here, but "E" came"#),
        (#"{"key":"A"}"#, "finish"),
    ]) func `a bound key must be the same wherever it comes again`(_ params: String, _ outcome: String) throws {
        let play = try Play(
            """
            > {}
            < {"method":"push","params":{"key":"E"}}
            < {"method":"push","params":{"key":"E"}}
            """)
        _ = try play.advance()
        #expect(try play.receive(#"{"method":"push","params":{"key":"A"}}"#) == [])
        #expect(try play.receive(#"{"method":"push","params":\#(params)}"#) == [outcome])
    }

    @Test func `two keys of the transcript are two keys`() throws {
        for batch in [false, true] {
            let play = try Play(
                batch
                    ? #"< {"method":"list","params":{"a":{"key":"E"},"b":{"key":"F"}}}"#
                    : "< {\"method\":\"a\",\"params\":{\"key\":\"E\"}}\n< {\"method\":\"b\",\"params\":{\"key\":\"F\"}}"
            )
            _ = try play.advance()
            var said: [String] = []
            if batch {
                said = try play.receive(#"{"method":"list","params":{"a":{"key":"A"},"b":{"key":"A"}}}"#)
            } else {
                _ = try play.receive(#"{"method":"a","params":{"key":"A"}}"#)
                said = try play.receive(#"{"method":"b","params":{"key":"A"}}"#)
            }
            let place = batch ? "line 2 /params/b/key" : "line 3 /params/key"
            #expect(
                said == ["\(place): expected a key of its own but the one came that is \"E\" in the transcript"])
        }
    }

    @Test func `strings other than keys are compared literally`() throws {
        let play = try Play(#"< {"method":"a","params":{"snapshot":[{"key":"S"}],"event":{"key":"E"},"keys":"F"}}"#)
        _ = try play.advance()
        #expect(
            try play.receive(#"{"method":"a","params":{"snapshot":[{"key":"S"}],"event":{"key":"A"},"keys":"F"}}"#) == [
                #"line 2 /params/event/key: expected "E" but "A" came"#
            ])
    }

    @Test func `the process id and the token of the options are sent`() throws {
        let transcript = """
            > {"id":1,"method":"i","params":{"processId":5,"token":"[redacted]","initializationOptions":{"token":"[redacted]"}}}
            > {"method":"i","params":{"processId":5,"token":"[redacted]"}}
            > {"id":2,"method":"i","params":{"processId":null,"token":"t","a":{"processId":5,"token":"[redacted]"}}}
            """
        let play = try Play(transcript) {
            $0.processID = 77
            $0.token = "s\"ecret"
        }
        #expect(
            try play.advance() == [
                "connect 1",
                #"{"id":1,"method":"i","params":{"processId":77,"token":"s\"ecret","initializationOptions":{"token":"s\"ecret"}}}"#,
                #"{"method":"i","params":{"processId":5,"token":"[redacted]"}}"#,
                #"{"id":2,"method":"i","params":{"processId":null,"token":"t","a":{"processId":5,"token":"[redacted]"}}}"#,
                "finish",
            ])
        let plain = try Play(transcript)
        #expect(
            try plain.advance()[1].hasSuffix(
                #"{"processId":5,"token":"[redacted]","initializationOptions":{"token":"[redacted]"}}}"#))
    }

    @Test func `the samples of matchers are sent`() throws {
        let play = try Play(
            #"> {"id":1, "method":"i","params":{"a":[{"$match":"string","value":"x"}, {"value":{"b":1},"$match":"any"}],"c":2}}"#
        )
        #expect(
            try play.advance() == ["connect 1", #"{"id":1,"method":"i","params":{"a":["x",{"b":1}],"c":2}}"#, "finish"])
    }

    @Test func `a message without substitutions is sent byte by byte`() throws {
        let odd = #"{"id":1.0,"method":"\u0061","params":{"a":1e0,"a":2,"b":"\/"}}"#
        #expect(try Play("> \(odd)").advance() == ["connect 1", odd, "finish"])
    }

    @Test func `a server's requests are answered with its own ids`() throws {
        let play = try Play(
            """
            < {"id":1,"method":"ask"}
            < {"id":2,"method":"ask"}
            < {"method":"cancel","params":{"id":2}}
            > {"id":2,"result":null}
            > {"id":1,"result":null}
            > {"method":"about","params":{"id":2}}
            < {"id":1,"method":"ask"}
            > {"id":1,"result":3}
            """)
        #expect(try play.advance() == ["connect 1"])
        #expect(try play.receive(#"{"id":"a","method":"ask"}"#) == [])
        #expect(try play.receive(#"{"id":7.0,"method":"ask"}"#) == [])
        #expect(
            try play.receive(#"{"method":"cancel","params":{"id":7}}"#) == [
                #"{"id":7.0,"result":null}"#, #"{"id":"a","result":null}"#, #"{"method":"about","params":{"id":7.0}}"#,
            ])
        #expect(try play.receive(#"{"id":9,"method":"ask"}"#) == [#"{"id":9,"result":3}"#, "finish"])
    }

    @Test(arguments: [
        (#"{"id":"a","method":"ask"}"#, #"line 3 /id: the id "a" is that of a request that isn't answered yet"#),
        (#"{"method":"cancel","params":{"id":1}}"#, "line 4 /params/id: expected 1, which is \"a\" here, but 1 came"),
    ]) func `an id of another request doesn't match`(_ message: String, _ outcome: String) throws {
        let play = try Play(
            """
            < {"id":1,"method":"ask"}
            < {"id":2,"method":"ask"}
            < {"method":"cancel","params":{"id":1}}
            """)
        _ = try play.advance()
        #expect(try play.receive(#"{"id":"a","method":"ask"}"#) == [])
        #expect(try play.receive(message) == [outcome])
    }

    @Test func `the ids of a client's requests aren't taken for the server's`() throws {
        let play = try Play(
            """
            < {"id":1,"method":"ask"}
            > {"id":1,"method":"call","params":{}}
            > {"method":"cancel","params":{"id":1}}
            """)
        _ = try play.advance()
        #expect(
            try play.receive(#"{"id":8,"method":"ask"}"#) == [
                #"{"id":1,"method":"call","params":{}}"#, #"{"method":"cancel","params":{"id":1}}"#, "finish",
            ])
    }
}
