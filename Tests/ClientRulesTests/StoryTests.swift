import ClientRules
import JSON
import TestSupport
import Testing
import Transcripts

/// What a story demands, and what it leaves open.
@Suite(.inTurn) struct StoryTests {
    private static let opening = #"""
        {"story":"one","title":"A rule"}
        {"do":"open","view":"a","viewModel":"counter"}
        {"from":"client","message":{"id":1,"method":"session/open","params":{"client":{"$is":"name"},"once":{"$match":"string"}}}}
        {"from":"server","message":{"id":1,"result":{"session":1}}}
        """#

    private static let open =
        #"{"jsonrpc":"2.0","id":77,"method":"session/open","params":{"client":"me","once":"x","more":1}}"#

    /// What happens to a play: lines as `client 1 {…}`, `end 1`, `driver {…}`, `tries MS`, `again`
    /// and `late`.
    private struct Case: CustomTestStringConvertible {
        let testDescription: String
        let story: String
        let happens: [String]
        /// "kept", "lacks WORD", or a part of the reason.
        let outcome: String

        init(_ name: String, _ story: String, _ happens: [String], _ outcome: String) {
            (testDescription, self.story, self.happens, self.outcome) = (name, opening + "\n" + story, happens, outcome)
        }
    }

    private static let opened = ["driver {}", "client 1 \(open)"]

    private static let cases = [
        Case("more members than expected are let pass", "", opened, "kept"),
        Case("a client may be faster than the story", "", ["client 1 \(open)", "driver {}"], "kept"),
        Case(
            "a member that is missing is named", "",
            ["driver {}", #"client 1 {"id":1,"method":"session/open","params":{"once":"x"}}"#], "the member is missing"),
        Case(
            "another method isn't let pass", "",
            ["driver {}", #"client 1 {"id":1,"method":"session/close","params":{}}"#], "the client sent something else"),
        Case(
            "what nothing expects is a fault", #"{"do":"send","view":"a","event":{}}"#,
            opened + [#"client 1 {"id":2,"method":"session/close","params":{}}"#, "driver {}"],
            "nothing more was expected"),
        Case(
            "a name stands for one value",
            #"{"from":"client","message":{"id":2,"method":"session/attach","params":{"client":{"$is":"name"}}}}"#,
            opened + [#"client 1 {"id":2,"method":"session/attach","params":{"client":"another"}}"#], "as before"),
        Case(
            "a new value is another one",
            #"{"from":"client","message":{"id":2,"method":"session/attach","params":{"client":{"$new":"name"}}}}"#,
            opened + [#"client 1 {"id":2,"method":"session/attach","params":{"client":"me"}}"#],
            "another value than before"),
        Case(
            "what a client may do at any time is answered", "",
            [
                "driver {}", #"client 1 {"id":1,"method":"initialize"}"#, #"client 1 {"method":"initialized"}"#,
                #"client 1 {"id":2,"method":"ping"}"#,
            ]
                + opened.dropFirst(), "kept"),
        Case(
            "what is to be seen is waited for", #"{"sees":{"a":{"events":[1]}}}"#,
            opened + [
                #"driver {"views":{"a":{"events":[]}}}"#, "again", #"driver {"views":{"a":{"events":[1],"more":2}}}"#,
            ], "kept"),
        Case(
            "what is to be seen and never is, is named", #"{"sees":{"a":{"events":[1]}}}"#,
            opened + [#"driver {"views":{"a":{"events":[1,1]}}}"#, "late"], "1 element was expected and 2 came"),
        Case(
            "a driver that says more than it was told is named",
            #"{"from":"client","message":{"id":2,"method":"session/attach"}}"#, opened + ["driver {}"],
            "the driver answered what it wasn't told"),
        Case("a driver that can't is passed over", "", [#"driver {"lacks":"lists"}"#], "lacks lists"),
        Case("a driver that fails is named", "", [#"driver {"error":"no such thing"}"#], "no such thing"),
        Case(
            "any connection will do where the story says so",
            #"""
            {"from":"client","connection":"any","message":{"id":2,"method":"session/attach"}}
            {"from":"server","connection":"any","message":{"id":2,"result":{}}}
            """#, opened + [#"client 2 {"id":5,"method":"session/attach"}"#], "kept"),
        Case(
            "an end that is expected is waited for", #"{"from":"client","end":true}"#, opened + ["late"], "waited"),
        Case("an end that comes too early is a fault", "", ["driver {}", "end 1"], "connection 1 ended"),
        Case(
            "as many tries as a story wants, no sooner, are kept",
            #"""
            {"server":"away"}
            {"tries":2,"notBeforeMs":100}
            """#, opened + ["tries 90", "tries 100"], "kept"),
        Case(
            "tries that follow each other too soon are a fault",
            #"""
            {"server":"away"}
            {"tries":2,"notBeforeMs":100}
            """#, opened + ["tries 1", "tries 99"], "tried to connect 2 times in 0.099 seconds"),
        Case(
            "tries before the server went away again don't count",
            #"""
            {"server":"away"}
            {"tries":1,"notBeforeMs":0}
            {"server":"away"}
            {"tries":1,"notBeforeMs":0}
            """#, opened + ["tries 1", "late"], "tried to connect 0 of 1 times"),
        Case(
            "an answer of the client has the id that it was asked with",
            #"{"from":"client","message":{"id":7,"result":null}}"#, opened + [#"client 1 {"id":8,"result":null}"#],
            "expected 7 but 8 came"),
        Case("bytes that are no message are a fault", "", ["driver {}", "garbage 1"], "isn't JSON"),
    ]

    @Test(arguments: cases) private func `a story is kept or broken`(_ one: Case) throws {
        let rule = try #require(try Rule.all(in: one.story, path: "rules.jsonl").first)
        var play = rule.play
        var actions = play.begin()
        for what in one.happens { actions += try Self.happens(what, to: &play) }
        let outcomes = actions.compactMap { if case .end(let outcome) = $0 { outcome } else { nil } }
        #expect(outcomes.count == 1)
        switch outcomes.first {
        case .kept?: #expect(one.outcome == "kept")
        case .lacking(let thing)?: #expect(one.outcome == "lacks \(thing)")
        case .broken(let failure)?: #expect(failure.reason.contains(one.outcome))
        case .notStarted?, nil: Issue.record("it goes on after \(actions)")
        }
    }

    private static func happens(_ what: String, to play: inout any Play) throws -> [PlayAction] {
        let words = what.split(separator: " ", maxSplits: 2).map(String.init)
        switch words[0] {
        case "client": return play.receive(try json(words[2]), on: try #require(Int(words[1])))
        case "end": return play.receiveEnd(of: try #require(Int(words[1])))
        case "garbage": return play.receiveGarbage("Hello", on: try #require(Int(words[1])))
        case "tries": return play.turnAway(after: .milliseconds(try #require(Int(words[1]))))
        case "driver": return play.receiveAnswer(try json(words.dropFirst().joined(separator: " ")))
        case "again": return play.lookAgain()
        default: return play.giveUp("waited in vain")
        }
    }

    private static func json(_ text: String) throws -> JSONText {
        let bytes = Array(text.utf8)
        return try bytes.withUnsafeBytes { try JSONText(validating: $0) }
    }

    @Test
    func `a silent server answers nothing on the connections that there are, and the report has what was sent in vain`()
        throws
    {
        let story =
            Self.opening + #"""

                {"server":"silent"}
                {"from":"client","connection":"any","message":{"id":2,"method":"session/attach"}}
                """#
        var play = try #require(try Rule.all(in: story, path: "rules.jsonl").first).play
        var actions = play.begin()
        for what in Self.opened { actions += try Self.happens(what, to: &play) }
        #expect(try Self.happens(#"client 1 {"id":78,"method":"ping"}"#, to: &play).isEmpty)
        #expect(try Self.happens(#"client 2 {"id":1,"method":"ping"}"#, to: &play).count == 1)
        guard case .end(.broken(let failure))? = try Self.happens("late", to: &play).first else {
            Issue.record("it goes on")
            return
        }
        #expect(
            failure.reason.contains("the client didn't send this")
                && failure.reason.contains(#""id":78,"method":"ping""#))
    }

    @Test func `a report has what came in the place of what the story leaves open, and not what it doesn't speak of`()
        throws
    {
        let line =
            #"{"from":"client","message":{"id":2,"method":"a","params":{"client":{"$is":"name"},"x":{"$match":"string"},"n":1}}}"#
        let rule = try #require(try Rule.all(in: Self.opening + "\n" + line, path: "rules.jsonl").first)
        let cases = [
            (
                #"{"id":5,"method":"a","params":{"client":"me","x":"y","n":2,"more":1}}"#,
                #"{"id":5,"method":"a","params":{"client":"me","x":"y","n":1}}"#,
                #"{"id":5,"method":"a","params":{"client":"me","x":"y","n":2}}"#
            ),
            (
                #"{"jsonrpc":"2.0","id":5,"method":"b","params":{"client":"another","x":3}}"#,
                #"{"id":5,"method":"a","params":{"client":"me","x":{"$match":"string"},"n":1}}"#,
                #"{"id":5,"method":"b","params":{"client":"another","x":3}}"#
            ),
        ]
        for (message, expected, actual) in cases {
            var play = rule.play
            _ = play.begin()
            for what in Self.opened { _ = try Self.happens(what, to: &play) }
            guard case .end(.broken(let failure))? = try Self.happens("client 1 \(message)", to: &play).first else {
                Issue.record("\(message) is let pass")
                return
            }
            #expect(failure.expected == expected)
            #expect(failure.actual == actual)
        }
    }

    @Test func `an answer has the id that the client gave its request`() throws {
        let rule = try #require(try Rule.all(in: Self.opening, path: "rules.jsonl").first)
        var play = rule.play
        var actions = play.begin()
        for what in Self.opened { actions += try Self.happens(what, to: &play) }
        let sent = actions.compactMap { if case .send(let message, 1) = $0 { message.description } else { nil } }
        #expect(sent == [#"{"jsonrpc":"2.0","id":77,"result":{"session":1}}"#])
    }

    @Test(arguments: [
        ("{", "rules.jsonl:2: not JSON"), (#"{"does":"open"}"#, #"rules.jsonl:2: a line of a story has "do""#),
        (#"{"do":"opne"}"#, "rules.jsonl:2"),
        (#"{"from":"client"}"#, "rules.jsonl:2: a line"),
        (#"{"from":"server","connection":"none","end":true}"#, "rules.jsonl:2"),
        (#"{"sees":{"a":[{"$iz":"x"}]}}"#, #"rules.jsonl:2: {"$iz":"x"} is none of {"$match":…}"#),
        (#"{"sees":{"a":{"$is":1}}}"#, "rules.jsonl:2: "), (#"{"sees":{"a":{"$match":"/(/"}}}"#, "rules.jsonl:2: "),
        (#"{"story":"two"}"#, #"rules.jsonl:2: "story" is"#), (#"{"server":"asleep"}"#, "rules.jsonl:2"),
    ]) func `a line that is none of a story is named`(_ line: String, _ words: String) {
        let error = #expect(throws: TranscriptError.self) {
            try Rule.all(in: #"{"story":"one","title":"A rule"}"# + "\n" + line, path: "rules.jsonl")
        }
        #expect(error?.description.contains(words) == true)
        #expect(throws: TranscriptError.self) { try Rule.all(in: #"{"do":"open"}"#, path: "rules.jsonl") }
    }

    @Test func `all rules of the package are rules, each with a name of its own`() throws {
        let rules = try Rule.all()
        #expect(rules.count > 35)
        #expect(Set(rules.map(\.name)).count == rules.count)
        #expect(rules.allSatisfy { !$0.title.isEmpty && !$0.name.hasPrefix(Rule.walkName) })
    }
}
