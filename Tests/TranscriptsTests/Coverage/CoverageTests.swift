import JSONRPC
import ViewModelProtocol
import TestSupport
import Testing
import Transcripts

@Suite(.inTurn) struct CoverageTests {
    private let goals = CoverageGoals(
        methods: ["open", "event", "ping"], notifications: ["told", "log"],
        errorCodes: [.invalidParams, .requestCancelled],
        viewModels: [
            .init(name: "list", viewEvents: ["load", "pick"], viewModelEvents: ["rows", "title"]),
            .init(name: "secret", viewEvents: nil, viewModelEvents: []),
        ])

    private static let open = #"c {"id":1,"method":"open"}"#
    private static let opened = #"s {"id":1,"result":{"session":1,"viewModel":"list"}}"#

    /// Lines of one transcript, `c` from the client and `s` from the server, with the connection's number if it isn't
    /// 1; and the goals that occur in it.
    static let transcripts: [([String], [String])] = [
        ([], []),
        ([open], ["methods: open"]),
        // Ids, results and methods that aren't among the goals don't count.
        ([#"c {"id":1,"method":"told"}"#, #"s {"method":"open"}"#, #"s {"id":1,"error":{"code":-32601}}"#], []),
        ([#"c [{"id":1,"method":"open"},{"method":"ping"}]"#], ["methods: open, ping"]),
        (
            [#"s [{"method":"log"},{"id":1,"error":{"code":-32602}}]"#],
            ["notifications: log", "error codes: -32602 InvalidParams"]
        ),
        ([#"s {"id":null,"error":{"code":-32800,"message":""}}"#], ["error codes: -32800 RequestCancelled"]),
        (
            [#"s {"id":1,"error":{"code":{"$match":"integer","value":-32800}}}"#],
            ["error codes: -32800 RequestCancelled"]
        ),
        (
            [opened, #"s {"method":"told","params":{"session":1,"event":{"kind":"rows","value":[]}}}"#],
            ["notifications: told", "list: view model events: rows"]
        ),
        // The answer that names the view model may come last.
        (
            [
                #"c {"id":2,"method":"event","params":{"session":1,"event":{"kind":"load"}}}"#,
                #"c {"method":"event","params":[{"session":1,"event":{"kind":"pick"}}]}"#,
                #"s {"method":"told","params":{"session":1,"event":{"kind":"title"}}}"#,
                #"s {"id":2,"error":{"code":-32800}}"#, opened,
            ],
            [
                "methods: event", "notifications: told", "error codes: -32800 RequestCancelled",
                "list: view events: load, pick", "list: view model events: title",
            ]
        ),
        // A kind counts when it was taken.
        (
            [
                opened, #"c {"id":2,"method":"event","params":{"session":1,"event":{"kind":"load"}}}"#,
                #"s {"id":2,"error":{"code":-32602}}"#,
                #"c {"id":3,"method":"event","params":{"session":1,"event":{"kind":"unknown"}}}"#,
                #"s {"id":3,"error":{"code":-32602}}"#,
                #"c {"id":4,"method":"event","params":{"session":1,"event":{"kind":"pick"}}}"#,
                #"c {"method":"event","params":{"session":1,"event":{"kind":"unknown"}}}"#,
            ],
            ["methods: event", "error codes: -32602 InvalidParams"]
        ),
        // Sessions are numbered by connection.
        (
            [
                opened, #"s2 {"id":1,"result":{"session":2,"viewModel":"list"}}"#,
                #"s2 {"method":"told","params":{"session":1,"event":{"kind":"rows"}}}"#,
                #"s2 {"method":"told","params":{"session":2,"event":{"kind":"title"}}}"#,
            ],
            ["notifications: told", "list: view model events: title"]
        ),
        (
            [#"s {"id":1,"result":{"session":1,"viewModel":"list","snapshot":[{"kind":"title"},{"kind":"rows"}]}}"#],
            ["list: view model events: rows, title"]
        ),
        (
            [
                #"s {"id":1,"result":{"session":1,"viewModel":{"$match":"string","value":"list"}}}"#,
                #"s {"method":"told","params":{"session":1,"event":{"kind":{"$match":"/r/","value":"rows"}}}}"#,
            ],
            ["notifications: told", "list: view model events: rows"]
        ),
        // Nothing that is made otherwise than a message is taken for one.
        (
            [
                #"c {"method":1,"params":"x","id":{}}"#, #"c [[],[1],"a",{"params":[1,2]}]"#,
                #"s {"error":1,"result":2,"id":[]}"#,
                #"s {"method":{"$match":"any"},"params":{"event":[],"session":1e99}}"#,
            ], []
        ),
    ]

    @Test(arguments: transcripts)
    func `goals are recognized by the form of messages`(lines: [String], expected: [String]) throws {
        #expect(seen(in: try coverage(lines).report) == expected)
    }

    @Test func `the goals of all transcripts add up`() throws {
        var coverage = Coverage(of: goals)
        for (lines, _) in Self.transcripts { try coverage.read(try reader(lines)) }
        #expect(
            coverage.report.gaps == [
                "secret: view events: not known: its type is no enum, or was compiled without the names of its cases"
            ])
    }

    @Test func `the report is a table that names what isn't seen`() throws {
        let coverage = try coverage([Self.open, Self.opened, #"s {"method":"log"}"#])
        #expect(
            coverage.report.description == """
                1 transcript, 3 messages

                methods                    1 of 3  not seen: event, ping
                notifications              1 of 2  not seen: told
                error codes                0 of 2  not seen: -32602 InvalidParams, -32800 RequestCancelled
                list: view events          0 of 2  not seen: load, pick
                list: view model events    0 of 2  not seen: rows, title
                secret: view events        0 of ?  not known: its type is no enum, or was compiled without the names
                                                   of its cases
                secret: view model events  0 of 0
                """)
    }

    @Test func `a kind that the enum doesn't have makes the total unknown`() throws {
        let coverage = try coverage([
            Self.opened, #"s {"method":"told","params":{"session":1,"event":{"kind":"renamed"}}}"#,
            #"c {"id":2,"method":"event","params":{"session":1,"event":{"kind":"other"}}}"#,
            #"s {"id":2,"result":null}"#,
        ])
        #expect(
            coverage.report.gaps.filter { $0.hasPrefix("list") } == [
                "list: view events: not known: its enum has no case other, which was seen",
                "list: view model events: not known: its enum has no case renamed, which was seen",
            ])
    }

    @Test func `a broken file throws an error with its line`() throws {
        let file = try ScratchFile("{\"transcript\":1}\n{}\n".utf8)
        var coverage = Coverage(of: goals)
        let error = #expect(throws: TranscriptError.self) { try coverage.read(TranscriptReader(path: file.path)) }
        #expect(error?.line == 2)
    }

    /// A line for each group of which something was seen.
    private func seen(in report: CoverageReport) -> [String] {
        let everything = Coverage(of: goals).report
        return zip(report.groups, everything.groups).compactMap { group, all in
            let names = all.unseen.filter { !group.unseen.contains($0) }
            return names.isEmpty ? nil : "\(group.title): \(names.joined(separator: ", "))"
        }
    }

    private func coverage(_ lines: [String]) throws -> Coverage {
        var coverage = Coverage(of: goals)
        try coverage.read(try reader(lines))
        return coverage
    }

    private func reader(_ lines: [String]) throws -> TranscriptReader {
        let entries = lines.map { line in
            let (start, message) = (line.prefix { $0 != " " }, line.drop { $0 != " " })
            let from = start.first == "c" ? "client" : "server"
            return
                #"{"from":"\#(from)","connection":\#(start.count == 1 ? "1" : start.dropFirst()),"message":\#(message)}"#
        }
        let file = try ScratchFile(([#"{"transcript":1}"#] + entries).joined(separator: "\n").utf8)
        return try TranscriptReader(path: file.path)
    }
}
