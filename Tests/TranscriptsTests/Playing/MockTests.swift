import Testing
import Transcripts

/// The server's side is played, and a client is checked.
struct MockTests {
    private let transcript = """
        > {"id":1,"method":"i","params":{"processId":5,"token":"[redacted]"}}
        < {"id":1,"result":{"v":{"$match":"string","value":"1.0"}}}
        > {"id":2,"method":"open","params":{}}
        < {"id":2,"result":{"session":1,"key":"k"}}
        > {"id":3,"method":"e","params":{"session":1,"event":{"kind":"a"}}}
        > {"method":"cancel","params":{"id":3}}
        < {"method":"v","params":{"session":1}}
        < {"id":3,"error":{"code":1}}
        > {"id":4,"method":"attach","params":{"key":"k"}}
        < {"id":4,"result":{"session":2}}
        > end
        < end
        """

    @Test func `a client that counts its own ids is answered with them`() throws {
        let play = try Play(transcript, as: .server)
        #expect(try play.advance() == [])
        #expect(
            try play.receive(#"{"id":"x","method":"i","params":{"token":"mine","processId":null}}"#) == [
                #"{"id":"x","result":{"v":"1.0"}}"#
            ])
        #expect(
            try play.receive(#"{"id":9,"method":"open","params":{}}"#) == [
                #"{"id":9,"result":{"session":1,"key":"k"}}"#
            ])
        #expect(try play.receive(#"{"id":10,"method":"e","params":{"session":1,"event":{"kind":"a"}}}"#) == [])
        #expect(
            try play.receive(#"{"method":"cancel","params":{"id":10}}"#) == [
                #"{"method":"v","params":{"session":1}}"#, #"{"id":10,"error":{"code":1}}"#,
            ])
        #expect(
            try play.receive(#"{"id":11,"method":"attach","params":{"key":"k"}}"#) == [
                #"{"id":11,"result":{"session":2}}"#
            ])
        #expect(try play.receive("end") == ["end 1", "finish"])
    }

    @Test(arguments: [
        (
            #"{"id":1,"method":"i","params":{"processId":"5","token":"t"}}"#,
            "line 2 /params/processId: expected 5 but \"5\" came"
        ),
        (
            #"{"id":1,"method":"i","params":{"processId":1,"token":1}}"#,
            "line 2 /params/token: expected \"[redacted]\" but 1 came"
        ),
        (#"{"id":1,"method":"open","params":{}}"#, "line 2 /method: expected \"i\" but \"open\" came"),
        (#"{"method":"v","params":{"session":4}}"#, "line 2: something else was expected"),
        ("end", "line 2: the connection ended, and line 2 was expected"),
        ("text {", "line 2: expected a message but text came that is no JSON"),
        ("unframed {", "line 2: expected a message but bytes without framing came"),
    ]) func `a client that deviates fails with what was expected`(_ message: String, _ outcome: String) throws {
        let play = try Play(transcript, as: .server)
        _ = try play.advance()
        #expect(try play.receive(message) == [outcome])
    }

    @Test(arguments: [
        (#""once":"recorded""#, #""once":"another""#, true), (#""v":1"#, #""once":"any","v":1"#, true),
        (#""once":"recorded""#, #""v":1"#, false), (#""once":"recorded""#, #""once":1"#, false),
    ]) func `a client makes its own once`(recorded: String, sent: String, isTaken: Bool) throws {
        let play = try Play(
            """
            > {"id":1,"method":"open","params":{\(recorded)}}
            < {"id":1,"result":1}
            """, as: .server)
        let answer = try play.receive(#"{"id":1,"method":"open","params":{\#(sent)}}"#)
        #expect((answer.first == #"{"id":1,"result":1}"#) == isTaken, "\(answer)")
    }

    @Test func `the ids of a batch are bound in order, and Vim's cancellation has the id of its call`() throws {
        let play = try Play(
            """
            > [{"id":1,"method":"a"},{"id":2,"method":"b"},{"method":"c"}]
            > {"id":2,"method":"cancel"}
            < [{"id":2,"result":2},{"id":1,"result":1}]
            """, as: .server)
        #expect(try play.receive(#"[{"id":5,"method":"a"},{"id":6,"method":"b"},{"method":"c"}]"#) == [])
        #expect(
            try play.receive(#"{"id":6,"method":"cancel"}"#) == [
                #"[{"id":6,"result":2},{"id":5,"result":1}]"#, "finish",
            ])
    }

    @Test func `an id is still known after its answer`() throws {
        let play = try Play(
            """
            > {"id":1,"method":"a"}
            < {"id":1,"result":1}
            > {"method":"cancel","params":{"id":1}}
            < {"id":9,"method":"ask"}
            > {"id":9,"result":{}}
            """, as: .server)
        #expect(try play.receive(#"{"id":5,"method":"a"}"#) == [#"{"id":5,"result":1}"#])
        #expect(try play.receive(#"{"method":"cancel","params":{"id":5}}"#) == [#"{"id":9,"method":"ask"}"#])
        #expect(try play.receive(#"{"id":9,"result":{}}"#) == ["finish"])
    }

    @Test func `connections have ids of their own`() throws {
        let play = try Play(
            "2> {\"id\":1,\"method\":\"a\"}\n> {\"id\":1,\"method\":\"b\"}\n2< {\"id\":1,\"result\":1}", as: .server)
        #expect(try play.receive(#"{"id":3,"method":"b"}"#) == [])
        #expect(try play.receive(#"{"id":3,"method":"a"}"#, on: 2) == [#"2 {"id":3,"result":1}"#, "finish"])
    }
}
