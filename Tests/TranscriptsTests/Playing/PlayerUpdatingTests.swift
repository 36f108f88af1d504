import Testing
import Transcripts

struct PlayerUpdatingTests {
    /// A transcript, the server's messages after each played line, and the updated transcript.
    struct Case: CustomTestStringConvertible {
        let testDescription: String
        let transcript: String
        let answers: [String: [String]]
        let written: String
    }

    @Test(arguments: [
        Case(
            testDescription: "what comes as expected stays as it stands",
            transcript: """
                >@1 {"id":1,"method":"a"}
                <@2 {"id":1,"result":{"v":{"$match":"string"}, "b":1.0}}
                <@3 {"method":"log","params":{}}
                >@4 {"method":"b"}
                """,
            answers: ["a": [#"{"method":"log","params":{}}"#, #"{"id":1,"result":{"b":1,"v":"x"}}"#]],
            written: """
                >@1 {"id":1,"method":"a"}
                <@2 {"id":1,"result":{"v":{"$match":"string"},"b":1.0}}
                <@3 {"method":"log","params":{}}
                >@4 {"method":"b"}
                """),
        Case(
            testDescription: "an answer that differs takes the place of the old one, and keeps its matchers",
            transcript: """
                > {"id":1,"method":"a"}
                < {"id":1,"result":{"v":{"$match":"string","value":"s"},"n":{"$match":"integer"},"a":[1,{"$match":"any"}],"old":1}}
                """,
            answers: ["a": [#"{"id":1,"result":{"new":2,"a":[3,4,5],"n":"seven","v":"x"}}"#]],
            written: """
                > {"id":1,"method":"a"}
                < {"id":1,"result":{"v":{"$match":"string","value":"s"},"n":"seven","a":[3,{"$match":"any"},5],"new":2}}
                """),
        Case(
            testDescription: "keys keep the names that they had",
            transcript: """
                > {"id":1,"method":"open"}
                < {"id":1,"result":{"session":1,"key":"E"}}
                > {"id":2,"method":"attach","params":{"key":"E"}}
                < {"id":2,"result":{"key":"E","v":1}}
                """,
            answers: [
                "open": [#"{"id":1,"result":{"session":1,"key":"A"}}"#],
                "attach": [
                    #"{"id":2,"result":{"key":"A","v":2,"navigation":[{"key":"A"},{"key":"B"}],"event":["A"]}}"#,
                    #"{"method":"pushed","params":{"key":"B"}}"#,
                ],
            ],
            written: """
                > {"id":1,"method":"open"}
                < {"id":1,"result":{"session":1,"key":"E"}}
                > {"id":2,"method":"attach","params":{"key":"E"}}
                < {"id":2,"result":{"key":"E","v":2,"navigation":[{"key":"E"},{"key":"B"}],"event":["E"]}}
                < {"method":"pushed","params":{"key":"B"}}
                """),
        Case(
            testDescription: "what is new stands behind what came before it, what doesn't come is gone",
            transcript: """
                >@5 {"id":1,"method":"a","params":{"session":1}}
                <@6 {"method":"v","params":{"session":1,"seq":1}}
                <@7 {"id":1,"result":1}
                <@8 {"method":"log","params":{"m":1}}
                >@9 {"method":"end"}
                <@10 {"method":"v","params":{"session":1,"seq":2}}
                """,
            answers: [
                "a": [
                    #"{"method":"v","params":{"session":1,"seq":1}}"#,
                    #"{"method":"v","params":{"session":1,"seq":2}}"#,
                    #"{"id":1,"result":2}"#, #"{"method":"v","params":{"session":2,"seq":1}}"#,
                ]
            ],
            written: """
                >@5 {"id":1,"method":"a","params":{"session":1}}
                <@6 {"method":"v","params":{"session":1,"seq":1}}
                <@6 {"method":"v","params":{"session":1,"seq":2}}
                <@7 {"id":1,"result":2}
                <@7 {"method":"v","params":{"session":2,"seq":1}}
                >@9 {"method":"end"}
                """),
        Case(
            testDescription: "where some events are gone the others stay",
            transcript: """
                > {"method":"a","params":{"session":1}}
                < {"method":"v","params":{"session":1,"e":"x"}}
                < {"method":"v","params":{"session":1,"e":"y"}}
                < {"method":"v","params":{"session":1,"e":{"$match":"/z+/"}}}
                """,
            answers: ["a": [#"{"method":"v","params":{"session":1,"e":"zz"}}"#]],
            written: """
                > {"method":"a","params":{"session":1}}
                < {"method":"v","params":{"session":1,"e":{"$match":"/z+/"}}}
                """),
        Case(
            testDescription: "an answer that comes later than it did moves, and so does an event",
            transcript: """
                > {"id":1,"method":"a","params":{"session":1}}
                < {"method":"v","params":{"session":1,"e":{"$match":"any"},"seq":1}}
                < {"id":1,"result":{"$match":"integer"}}
                < {"method":"v","params":{"session":1,"seq":2}}
                """,
            answers: [
                "a": [
                    #"{"method":"v","params":{"session":1,"seq":2}}"#, #"{"id":1,"result":5}"#,
                    #"{"method":"v","params":{"session":1,"e":7,"seq":1}}"#,
                ]
            ],
            written: """
                > {"id":1,"method":"a","params":{"session":1}}
                < {"method":"v","params":{"session":1,"seq":2}}
                < {"id":1,"result":{"$match":"integer"}}
                < {"method":"v","params":{"session":1,"e":{"$match":"any"},"seq":1}}
                """),
        Case(
            testDescription: "what comes early stays where it is",
            transcript: """
                > {"id":1,"method":"a","params":{"session":1}}
                < {"id":1,"result":1}
                > {"id":2,"method":"b","params":{"session":2}}
                < {"method":"v","params":{"session":1}}
                < {"method":"v","params":{"session":2}}
                < {"id":2,"result":2}
                """,
            answers: [
                "a": [
                    #"{"id":1,"result":1}"#, #"{"method":"v","params":{"session":1}}"#,
                    #"{"method":"v","params":{"session":2}}"#,
                ],
                "b": [#"{"id":2,"result":2}"#],
            ],
            written: """
                > {"id":1,"method":"a","params":{"session":1}}
                < {"id":1,"result":1}
                > {"id":2,"method":"b","params":{"session":2}}
                < {"method":"v","params":{"session":1}}
                < {"method":"v","params":{"session":2}}
                < {"id":2,"result":2}
                """),
        Case(
            testDescription: "requests that a hand has written are answered one after the other",
            transcript: """
                > {"id":1,"method":"a"}
                > {"method":"b"}
                > {"id":9,"method":"c"}
                > {"id":2,"method":"slow"}
                > {"method":"cancel","params":{"id":2}}
                > {"id":2,"method":"slow","params":{}}
                > {"id":2,"method":"cancel"}
                > {"id":3,"method":"d"}
                """,
            answers: [
                "a": [#"{"id":1,"result":1}"#, #"{"method":"log","params":{}}"#],
                "c": [#"{"id":9,"result":2}"#],
                "cancel": [#"{"id":2,"error":"cancelled"}"#],
                "d": [#"{"id":3,"result":3}"#],
            ],
            written: """
                > {"id":1,"method":"a"}
                < {"id":1,"result":1}
                < {"method":"log","params":{}}
                > {"method":"b"}
                > {"id":9,"method":"c"}
                < {"id":9,"result":2}
                > {"id":2,"method":"slow"}
                > {"method":"cancel","params":{"id":2}}
                < {"id":2,"error":"cancelled"}
                > {"id":2,"method":"slow","params":{}}
                > {"id":2,"method":"cancel"}
                < {"id":2,"error":"cancelled"}
                > {"id":3,"method":"d"}
                < {"id":3,"result":3}
                """),
        Case(
            testDescription: "a batch keeps what it has in common",
            transcript: """
                > [{"id":1,"method":"a"},{"id":2,"method":"a"}]
                < [{"id":1,"result":{"$match":"any"}},{"id":2,"result":2}]
                """,
            answers: ["": [#"[{"id":2,"result":3},{"id":1,"result":1}]"#]],
            written: """
                > [{"id":1,"method":"a"},{"id":2,"method":"a"}]
                < [{"id":2,"result":3},{"id":1,"result":{"$match":"any"}}]
                """),
        Case(
            testDescription: "text and bytes are replaced, and an end that cuts is written",
            transcript: "> {\"method\":\"a\"}\n< text a\n< unframed abcd\n> {\"method\":\"b\"}\n< text b\n< end",
            answers: ["a": ["text x", "unframed ab", "unframed xyz", "unframed !", "end"]],
            written: "> {\"method\":\"a\"}\n< text x\n< unframed abxyz\n< unframed !\n< end\n> {\"method\":\"b\"}"),
        Case(
            testDescription: "a server's requests keep their ids",
            transcript: """
                > {"method":"a"}
                < {"id":1,"method":"ask","params":{"old":1}}
                < {"method":"cancel","params":{"id":1,"old":1}}
                > {"id":1,"result":1}
                """,
            answers: [
                "a": [
                    #"{"id":"x","method":"ask","params":{"new":1}}"#,
                    #"{"method":"cancel","params":{"id":"x","new":1}}"#,
                ]
            ],
            written: """
                > {"method":"a"}
                < {"id":1,"method":"ask","params":{"new":1}}
                < {"method":"cancel","params":{"id":1,"new":1}}
                > {"id":1,"result":1}
                """),
    ])
    func `updating`(_ `case`: Case) throws {
        let play = try Play(`case`.transcript) { $0.isUpdating = true }
        let server = { (sent: String) in
            `case`.answers.first { sent.contains(#""method":"\#($0.key)""#) }?.value ?? `case`.answers[""] ?? []
        }
        #expect(try run(play, server) == nil)
        #expect(play.updated() == `case`.written.split(separator: "\n").map(String.init))
    }

    @Test func `the next lines are played after a silence, and late answers are waited for`() throws {
        let play = try Play(
            """
            < {"method":"hello"}
            > {"id":1,"method":"a"}
            > {"method":"b"}
            < {"method":"log"}
            < {"id":1,"result":1}
            2> {"method":"c"}
            """
        ) { $0.isUpdating = true }
        #expect(try play.advance() == ["connect 1"])
        #expect(!play.player.isOwedAnAnswer)
        #expect(try play.receiveNothing() == [#"{"id":1,"method":"a"}"#, #"{"method":"b"}"#])
        #expect(play.player.isOwedAnAnswer)
        #expect(try play.receive(#"{"method":"log"}"#) == [])
        #expect(play.player.isOwedAnAnswer)
        #expect(try play.receive(#"{"id":1,"result":2}"#) == [])
        #expect(!play.player.isOwedAnAnswer)
        #expect(try play.receiveNothing() == ["connect 2", #"2 {"method":"c"}"#])
        #expect(try play.receive(#"{"method":"late"}"#, on: 2) == [])
        #expect(try play.receiveNothing() == ["finish"])
        #expect(try play.receive(#"{"method":"later"}"#, on: 2) == [])
        #expect(
            play.updated() == [
                #"> {"id":1,"method":"a"}"#, #"> {"method":"b"}"#, #"< {"method":"log"}"#, #"< {"id":1,"result":2}"#,
                #"2> {"method":"c"}"#, #"2< {"method":"late"}"#, #"2< {"method":"later"}"#,
            ])
    }

    @Test(arguments: [false, true])
    func `a line with a later time is sent at that time while an answer is outstanding, where times count`(
        isPaced: Bool
    ) throws {
        let play = try Play(
            """
            >@10 {"id":1,"method":"a"}
            >@20 {"id":2,"method":"b"}
            >@20 {"id":3,"method":"c"}
            """
        ) { ($0.isUpdating, $0.isPaced, $0.stampsTimes) = (true, isPaced, isPaced) }
        let a = #"{"id":1,"method":"a"}"#
        guard isPaced else {
            #expect(try play.advance() == ["connect 1", a])
            return
        }
        #expect(try play.advance(to: 10) == ["connect 1", a, "wait 20"])
        #expect(try play.receive(#"{"method":"event"}"#) == [])
        #expect(try play.advance(to: 20) == [#"{"id":2,"method":"b"}"#])
        #expect(play.player.isOwedAnAnswer)
        #expect(try play.receive(#"{"id":1,"result":1}"#) == [])
        #expect(try play.receive(#"{"id":2,"result":2}"#) == [])
        #expect(try play.receiveNothing() == [#"{"id":3,"method":"c"}"#])
        #expect(try play.receiveNothing() == ["finish"])
        #expect(
            play.updated() == [
                #">@10 {"id":1,"method":"a"}"#, #"<@10 {"method":"event"}"#, #">@20 {"id":2,"method":"b"}"#,
                #"<@20 {"id":1,"result":1}"#, #"<@20 {"id":2,"result":2}"#, #">@20 {"id":3,"method":"c"}"#,
            ])
    }

    /// Plays to the end; returns the failure, if there is one.
    private func run(_ play: Play, _ server: (String) -> [String]) throws -> String? {
        var actions = try play.advance()
        var rounds = 0
        while actions.last != "finish", rounds < 10_000 {
            if let failure = actions.last, failure.hasPrefix("line ") { return failure }
            rounds += 1
            let come = actions.filter { $0.hasPrefix("{") || $0.hasPrefix("[") }.flatMap(server)
            actions = try come.flatMap { try play.receive($0) }
            if come.isEmpty { actions = try play.receiveNothing() }
        }
        return nil
    }
}
