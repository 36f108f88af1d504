import Testing
import Transcripts

struct PlayerOrderTests {
    @Test func `a conversation is played line by line`() throws {
        let play = try Play(
            """
            > {"id":1,"method":"a"}
            < {"id":1,"result":{}}
            > {"method":"b"}
            > {"id":2,"method":"c"}
            < {"method":"d","params":{}}
            < {"id":2,"result":null}
            """)
        #expect(try play.advance() == ["connect 1", #"{"id":1,"method":"a"}"#])
        #expect(try play.advance() == [])
        #expect(try play.receive(#"{"id":1,"result":{}}"#) == [#"{"method":"b"}"#, #"{"id":2,"method":"c"}"#])
        #expect(try play.receive(#"{"id":2,"result":null}"#) == [])
        #expect(try play.receive(#"{"method":"d","params":{}}"#) == ["finish"])
        #expect(try play.receive(#"{"method":"d"}"#) == ["line 7: nothing more was expected"])
        #expect(try play.receive(#"{"method":"d"}"#) == [])
    }

    @Test func `a connection opens with its first line, and ends with its end`() throws {
        let play = try Play(
            """
            > {"id":1,"method":"a"}
            < {"id":1,"result":1}
            2> {"id":1,"method":"a"}
            2> end
            3< {"method":"hello"}
            2< {"id":1,"result":2}
            > end
            """)
        #expect(try play.advance() == ["connect 1", #"{"id":1,"method":"a"}"#])
        #expect(
            try play.receive(#"{"id":1,"result":1}"#) == [
                "connect 2", #"2 {"id":1,"method":"a"}"#, "end 2", "connect 3",
            ])
        #expect(try play.receive(#"{"id":1,"result":2}"#, on: 2) == [])
        #expect(try play.receive(#"{"method":"hello"}"#, on: 3) == ["end 1", "finish"])
    }

    @Test func `a server may be faster than the one that was recorded, however far ahead the client was`() throws {
        let count = 3_000
        let requests = (0..<count).map { #">@\#($0) {"id":\#($0),"method":"e","params":{"session":1}}"# }
        let answers = (0..<count).map { #"<@\#(count) {"id":\#($0),"result":{}}"# }
        let play = try Play((requests + answers).joined(separator: "\n")) { $0.isPaced = true }
        for index in 0..<count {
            #expect(try play.advance(to: index).contains(#"{"id":\#(index),"method":"e","params":{"session":1}}"#))
            let isLast = index == count - 1
            #expect(try play.receive(#"{"id":\#(index),"result":{}}"#) == (isLast ? ["finish"] : []))
        }
    }

    @Test func `in a paced play, too, nothing may come before its cause`() throws {
        let play = try Play(
            """
            > {"id":1,"method":"e","params":{"session":1}}
            < {"method":"v","params":{"session":2}}
            >@5 {"id":2,"method":"e","params":{"session":1}}
            <@5 {"id":2,"result":{}}
            """
        ) { $0.isPaced = true }
        _ = try play.advance()
        #expect(try play.receive(#"{"id":2,"result":{}}"#) == ["line 5: this came before line 4 was sent"])
    }

    /// The lines sent before, the message that comes, and the outcome.
    struct Case: CustomTestStringConvertible {
        let testDescription: String
        let transcript: String
        let come: [String]
        let outcome: String
    }

    @Test(arguments: [
        Case(
            testDescription: "sessions interleave",
            transcript: """
                > {"id":1,"method":"e","params":{"session":1}}
                > {"id":2,"method":"e","params":{"session":2}}
                < {"method":"v","params":{"session":1,"seq":1}}
                < {"id":1,"result":1}
                < {"method":"v","params":{"session":2,"seq":1}}
                < {"id":2,"result":1}
                """,
            come: [
                #"{"method":"v","params":{"session":2,"seq":1}}"#, #"{"method":"v","params":{"session":1,"seq":1}}"#,
                #"{"id":2,"result":1}"#, #"{"id":1,"result":1}"#,
            ], outcome: "finish"),
        Case(
            testDescription: "within a session the order counts",
            transcript: """
                > {"id":1,"method":"e","params":{"session":1}}
                < {"method":"v","params":{"session":1,"seq":1}}
                < {"method":"v","params":{"session":1,"seq":2}}
                """,
            come: [#"{"method":"v","params":{"session":1,"seq":2}}"#],
            outcome: "line 3 /params/seq: expected 1 but 2 came"),
        Case(
            testDescription: "an answer comes behind what is to come before it",
            transcript: """
                > {"id":1,"method":"e","params":{"session":1}}
                < {"method":"v","params":{"session":1,"seq":1}}
                < {"id":1,"result":1}
                """,
            come: [#"{"id":1,"result":1}"#],
            outcome: "line 3: line 3 was expected first, and the answer of line 4 came"),
        Case(
            testDescription: "an answer belongs to the session that it makes",
            transcript: """
                > {"id":1,"method":"o","params":{}}
                < {"id":1,"result":{"session":1}}
                < {"method":"v","params":{"session":1,"seq":1}}
                """,
            come: [#"{"method":"v","params":{"session":1,"seq":1}}"#],
            outcome: "line 3: expected the answer to 1 but the notification v came"),
        Case(
            testDescription: "other answers come in any order",
            transcript: """
                > {"id":1,"method":"a"}
                > {"id":"2","method":"a"}
                < {"id":1,"result":1}
                < {"id":"2","result":2}
                """,
            come: [#"{"id":"2","result":2}"#, #"{"id":1,"result":1}"#], outcome: "finish"),
        Case(
            testDescription: "progress belongs to the request that asked for it",
            transcript: """
                > {"id":1,"method":"e","params":{"session":1,"workDoneToken":"t"}}
                < {"method":"p","params":{"token":"t","value":1}}
                < {"method":"v","params":{"session":1,"seq":1}}
                """,
            come: [#"{"method":"v","params":{"session":1,"seq":1}}"#],
            outcome: "line 3 /method: expected \"p\" but \"v\" came"),
        Case(
            testDescription: "progress of a request without a session comes before its answer",
            transcript: """
                > {"id":1,"method":"e","params":{"workDoneToken":7}}
                < {"method":"p","params":{"token":7,"value":1}}
                < {"id":1,"result":1}
                """,
            come: [#"{"id":1,"result":1}"#],
            outcome: "line 3: line 3 was expected first, and the answer of line 4 came"),
        Case(
            testDescription: "what the server says of its own accord is in order for each method",
            transcript: """
                > {"method":"a"}
                < {"method":"log","params":{"message":"1"}}
                < {"method":"log","params":{"message":"2"}}
                < {"id":"s1","method":"ask"}
                """,
            come: [
                #"{"id":"s1","method":"ask"}"#, #"{"method":"log","params":{"message":"1"}}"#,
                #"{"method":"log","params":{"message":"2"}}"#,
            ], outcome: "finish"),
        Case(
            testDescription: "answers to what couldn't be read are in order",
            transcript: """
                > text }
                > text {
                < {"id":null,"error":{"code":1}}
                < {"id":null,"error":{"code":2}}
                """,
            come: [#"{"id":null,"error":{"code":2}}"#],
            outcome: "line 4 /error/code: expected 1 but 2 came"),
        Case(
            testDescription: "a batch is found by its ids, and its answers have any order",
            transcript: """
                > [{"id":1,"method":"a"},{"id":2,"method":"a"}]
                > [{"id":3,"method":"a"}]
                < [{"id":1,"result":1},{"id":2,"result":2}]
                < [{"id":3,"result":3}]
                """,
            come: [#"[{"id":3,"result":3}]"#, #"[{"id":2,"result":2},{"id":1,"result":1}]"#], outcome: "finish"),
        Case(
            testDescription: "a batch lacks an answer",
            transcript: """
                > [{"id":1,"method":"a"},{"id":2,"method":"a"}]
                < [{"id":1,"result":1},{"id":2,"result":2}]
                """,
            come: [#"[{"id":2,"result":2}]"#],
            outcome: "line 3 /0: nothing came for this element of the batch"),
        Case(
            testDescription: "an answer comes before its request was sent",
            transcript: """
                > {"id":1,"method":"e","params":{"session":1}}
                < {"id":1,"result":1}
                > {"id":2,"method":"e","params":{"session":2}}
                < {"id":2,"result":1}
                """,
            come: [#"{"id":2,"result":1}"#], outcome: "line 5: this came before line 4 was sent"),
        Case(
            testDescription: "another answer comes before the request was sent",
            transcript: """
                > {"id":1,"method":"e","params":{"session":1}}
                < {"id":1,"result":1}
                > {"id":2,"method":"e","params":{"session":2}}
                < {"id":2,"result":1}
                """,
            come: [#"{"id":2,"result":2}"#], outcome: "line 2: nothing more was expected before line 4 is sent"),
        Case(
            testDescription: "progress comes before the request that asked for it",
            transcript: """
                > {"id":1,"method":"a"}
                < {"id":1,"result":1}
                > {"id":2,"method":"e","params":{"session":1,"workDoneToken":"t"}}
                < {"method":"p","params":{"token":"t"}}
                """,
            come: [#"{"method":"p","params":{"token":"t"}}"#], outcome: "line 2: nothing more was expected"),
        Case(
            testDescription: "an event may come before a line that it came behind",
            transcript: """
                > {"id":1,"method":"e","params":{"session":1}}
                < {"id":1,"result":1}
                < {"method":"log"}
                > {"id":2,"method":"e","params":{"session":1}}
                < {"method":"v","params":{"session":1,"seq":1}}
                < {"id":2,"result":1}
                """,
            come: [
                #"{"id":1,"result":1}"#, #"{"method":"v","params":{"session":1,"seq":1}}"#, #"{"method":"log"}"#,
                #"{"id":2,"result":1}"#,
            ], outcome: "finish"),
        Case(
            testDescription: "another session's events may come early",
            transcript: """
                > {"id":1,"method":"e","params":{"session":2}}
                < {"method":"log"}
                > {"id":2,"method":"e","params":{"session":1}}
                < {"id":2,"result":1}
                < {"method":"v","params":{"session":2,"seq":1}}
                """,
            come: [#"{"method":"v","params":{"session":2,"seq":1}}"#, #"{"method":"log"}"#, #"{"id":2,"result":1}"#],
            outcome: "finish"),
        Case(
            testDescription: "an id is used again after its answer",
            transcript: """
                > {"id":1,"method":"a","params":{"session":1}}
                < {"id":1,"result":1}
                > {"id":1,"method":"a","params":{"session":2}}
                < {"id":1,"result":2}
                """,
            come: [#"{"id":1,"result":1}"#, #"{"id":1,"result":2}"#], outcome: "finish"),
        Case(
            testDescription: "a call that is given up in the form of a request has one answer",
            transcript: """
                > {"id":1,"method":"a","params":{"session":1}}
                > {"id":1,"method":"cancel"}
                < {"id":1,"error":{}}
                > {"id":2,"method":"a","params":{"session":1}}
                < {"id":2,"result":2}
                """,
            come: [#"{"id":1,"error":{}}"#, #"{"id":2,"result":2}"#], outcome: "finish"),
        Case(
            testDescription: "an answer to nothing",
            transcript: #"> {"id":1,"method":"a"}"# + "\n< {\"id\":1,\"result\":1}",
            come: [#"{"id":2,"result":1}"#], outcome: "line 2: nothing more was expected"),
        Case(
            testDescription: "another text", transcript: "> text {\n< text a", come: ["text b"],
            outcome: "line 3: another text came"),
        Case(
            testDescription: "text instead of a message", transcript: "> text {\n< {\"id\":null}", come: ["text b"],
            outcome: "line 3: expected a message but text came that is no JSON"),
        Case(
            testDescription: "bytes come in other pieces", transcript: "> {}\n< unframed abc\n< unframed def\n< end",
            come: ["unframed a", "unframed bcd", "unframed ef", "end"], outcome: "finish"),
        Case(
            testDescription: "text and bytes that were taken out may be any",
            transcript: "> {}\n< text [redacted]\n< unframed [redacted]\n< unframed [redacted]\n< end",
            come: ["text b", "unframed a", "unframed b", "unframed c", "end"], outcome: "finish"),
        Case(
            testDescription: "other bytes", transcript: "> {}\n< unframed abc\n< unframed def",
            come: ["unframed ab", "unframed cx"], outcome: "line 4: other bytes came"),
    ])
    func `order`(_ `case`: Case) throws {
        let play = try Play(`case`.transcript)
        _ = try play.advance()
        var said: [String] = []
        for text in `case`.come { said = try play.receive(text) }
        #expect(said.last == `case`.outcome)
    }

    @Test func `a connection may end before, after or without the transcript's end`() throws {
        let transcript = """
            > {"id":1,"method":"a"}
            < {"id":1,"result":1}
            > end
            """
        let answer = #"{"id":1,"result":1}"#
        for end in ["", "\n< end"] {
            let play = try Play(transcript + end)
            _ = try play.advance()
            #expect(try play.receive(answer) == ["end 1"] + (end.isEmpty ? ["finish"] : []))
            #expect(try play.receive("end") == (end.isEmpty ? [] : ["finish"]))
        }
        let early = try Play(transcript + "\n< end")
        _ = try early.advance()
        #expect(try early.receive("end") == ["line 3: the connection ended, and line 3 was expected"])

        let unsent = try Play(transcript + "\n> {}")
        _ = try unsent.advance()
        #expect(try unsent.receive("end") == ["line 3: the connection ended, and line 3 was expected"])

        let other = try Play("> {}\n2> {}\n2< {\"method\":\"a\"}\n> {\"method\":\"b\"}\n")
        _ = try other.advance()
        #expect(try other.receive("end") == ["line 5: the connection ended before line 5 was sent"])
    }

    @Test func `an end that precedes the other side's may come first`() throws {
        let play = try Play(
            "> {\"id\":1,\"method\":\"a\"}\n< {\"id\":1,\"result\":1}\n2< {\"method\":\"b\"}\n< end\n> end")
        _ = try play.advance()
        #expect(try play.receive(#"{"id":1,"result":1}"#) == ["connect 2"])
        #expect(try play.receive("end") == [])
        #expect(try play.receive(#"{"method":"b"}"#, on: 2) == ["end 1", "finish"])
    }

    @Test func `when nothing comes, the failure names the first missing line`() throws {
        let play = try Play("> {}\n< {\"method\":\"a\"}\n< {\"method\":\"b\"}")
        _ = try play.advance()
        #expect(try play.receive(#"{"method":"a"}"#) == [])
        #expect(play.player.frontier == 0)
        #expect(try play.receiveNothing() == ["line 4: nothing came, and this was expected"])
        #expect(try play.receiveNothing() == [])
        #expect(try play.receive(#"{"method":"b"}"#) == [])
        #expect(try play.advance() == [])
    }

    @Test func `a paced play waits for the time of each line`() throws {
        let play = try Play(
            """
            >@10 {"id":1,"method":"a"}
            <@20 {"id":1,"result":1}
            >@30 {"method":"b"}
            >@40 {"method":"c"}
            """
        ) { $0.isPaced = true }
        #expect(play.player.frontier == 10)
        #expect(try play.advance(to: 5) == ["connect 1", "wait 10"])
        #expect(try play.receiveNothing() == [])
        #expect(try play.advance(to: 10) == [#"{"id":1,"method":"a"}"#])
        #expect(play.player.frontier == 20)
        #expect(try play.receive(#"{"id":1,"result":1}"#) == ["wait 30"])
        #expect(try play.advance(to: 35) == [#"{"method":"b"}"#, "wait 40"])
        #expect(try play.advance(to: 36) == ["wait 40"])
        #expect(try play.advance(to: 50) == [#"{"method":"c"}"#, "finish"])
        #expect(play.player.frontier == nil)
    }

    @Test func `a broken line ends the play with an error that has its number`() throws {
        let play = try Play("> {}\n< {\"method\":\"a\"}\n{")
        #expect(throws: TranscriptError.self) { try play.advance() }
        #expect(try play.advance() == [])
        #expect(try play.receive(#"{"method":"a"}"#) == [])
    }
}
