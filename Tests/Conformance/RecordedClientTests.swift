import FoundationEssentials
import Testing

/// The whole way: a real client is recorded, its transcript is the server's test, and then the client's.
@Suite(.ownThread) struct RecordedClientTests {
    /// A client that this project's server didn't write, with the script that it runs.
    enum Client: CaseIterable {
        case python, neovim

        var isInstalled: Bool { tool.isInstalled }

        var tool: Tool { self == .python ? .python : .neovim }

        /// Starts it with the words of the server's command, none of which has a blank.
        func start(_ server: [String], _ folder: TemporaryFolder) throws -> Program {
            switch self {
            case .python: return try Program(tool.command, [Checkout.conformance("Clients/orders.py")] + server)
            case .neovim:
                var environment = ["COMMAND": server.joined(separator: " "), "TERM": "dumb", "HOME": folder.path]
                for name in ["CACHE", "CONFIG", "DATA", "STATE"] { environment["XDG_\(name)_HOME"] = folder.path }
                let script = Checkout.conformance("Clients/orders.lua")
                return try Program(
                    tool.command, ["--headless", "-u", "NONE", "-S", script], environment: environment)
            }
        }
    }

    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.file("orders.jsonl")
    }

    /// The client's command line, with the server at its end.
    private func run(_ client: Client, _ server: String...) throws -> String {
        let program = try client.start([Checkout.server] + server, folder)
        program.closeInput()
        let text = try program.lines().joined(separator: "\n")
        #expect(try program.end() == .status(0), "\(program.report)")
        return text
    }

    private func replay(_ arguments: String...) throws -> (text: String, ending: Program.Ending) {
        let program = try Program(Checkout.server, ["replay", path] + arguments)
        program.closeInput()
        return (try program.lines().joined(separator: "\n"), try program.end())
    }

    @Test(arguments: Client.allCases.filter(\.isInstalled))
    func `a recorded client's transcript is a test of the server, and a server for the client`(_ client: Client)
        throws
    {
        let story = try run(client, "record", path, "--", Checkout.server, "--stdio")
        #expect(story.contains("session 1 event 2: orders 3 orders"))
        #expect(story.hasSuffix("ended with status 0"))

        // The same server, in its own process and in this one.
        for target in [["--", Checkout.server, "--stdio"], []] {
            let program = try Program(Checkout.server, ["replay", path] + target)
            program.closeInput()
            let text = try program.lines().joined(separator: "\n")
            #expect(text.hasPrefix("ok   \(path) ("), "\(text)")
            #expect(try program.end() == .status(0))
        }

        // One that has an order more.
        let changed = #""$0" --stdio | sed -u 's/"orders","count":3/"orders","count":4/'"#
        let (text, ending) = try replay("--framing", "lines", "--", "sh", "-c", changed, Checkout.server)
        #expect(ending == .status(1))
        let line = try #require(try lineOfOrders())
        #expect(text.hasPrefix("FAIL \(path):\(line): expected 3 but 4 came"))
        #expect(text.contains("/params/event/count"))

        // The client, without a server.
        #expect(try run(client, "mock", path) == story)
    }

    @Test(.enabled(if: Tool.python.isInstalled, "Python isn't installed"))
    func `a client that does otherwise is told what was expected`() throws {
        _ = try run(.python, "record", path, "--", Checkout.server, "--stdio")
        let text = try String(contentsOfFile: path, encoding: .utf8)
        let other = folder.file("other.jsonl")
        try text.replacing(#""index":7"#, with: #""index":8"#)
            .replacing(#""index": 7"#, with: #""index": 8"#)
            .write(toFile: other, atomically: false, encoding: .utf8)
        let client = try Client.python.start([Checkout.server, "mock", other], folder)
        client.closeInput()
        let seen = try client.lines()
        let refusal = try #require(seen.first { $0.hasPrefix("view/event: error -32600: ") })
        #expect(refusal.contains("/params/event/index"))
        let report = try client.errorText()
        #expect(report.contains("\(other):") && report.contains("/params/event/index"))
    }

    /// The line in which the orders come.
    private func lineOfOrders() throws -> Int? {
        let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
        return lines.firstIndex { $0.contains(#""kind":"orders""#) }.map { $0 + 1 }
    }
}
