import FoundationEssentials
import TestSupport
import Testing

/// The rules for clients, played against every client that has views. Most of the time they wait for the deadlines of the
/// clients, so they begin at once, beside all other tests, one client after the other.
@Suite(.ownThreadAtOnce) struct ConformTests {
    private static let turns = Turns(1)

    @Test(.drivesHostPrograms, arguments: ThinClient.all.filter { $0.isInstalled && $0.driver != nil })
    func `a client keeps the rules for clients`(_ client: ThinClient) async throws {
        try await Self.expectKept(try #require(client.driver))
    }

    @Test func `the client in Swift keeps the rules for clients`() async throws {
        let folder = Checkout.server.split(separator: "/", omittingEmptySubsequences: false).dropLast()
        try await Self.expectKept([folder.joined(separator: "/") + "/client-driver"])
    }

    private static func expectKept(_ driver: [String]) async throws {
        await turns.begin()
        defer { turns.end() }
        let (ending, lines, errors) = try conform(["--timeout", "120"], driver)
        let broken = lines.drop { !$0.hasPrefix("BROKEN") }
        #expect(ending == .status(0), "\(broken.joined(separator: "\n"))\n\(errors)")
        let kept = lines.count { $0.hasPrefix("kept ") }
        #expect(kept > 35 && lines.last?.hasPrefix("\(kept) rules kept, 0 broken") == true)
    }

    private static func conform(
        _ arguments: [String], _ driver: [String]
    ) throws -> (Program.Ending, lines: [String], errors: String) {
        let driver = driver.map { $0.hasPrefix("clients/") ? "\(Checkout.root)/\($0)" : $0 }
        let conform = try Program(Checkout.server, ["conform"] + arguments + ["--"] + driver)
        conform.closeInput()
        let lines = try conform.lines()
        return (try conform.end(), lines, try conform.errorText())
    }

    /// Does nothing of what it is told, and says that it is done.
    private static let idle = """
        import json, socket, sys
        host, port = sys.argv[-1].split(":")
        commands = socket.create_connection((host, int(port)))
        print("an idle client", flush=True)
        for line in commands.makefile():
            commands.sendall(b'{"views":{}}\\n' if json.loads(line)["do"] == "look" else b"{}\\n")
        """

    @Test(.enabled(if: Tool.python.isInstalled, "Python isn't installed"))
    func `a client that does nothing breaks the rule, and the report has the line and what it printed`() throws {
        let driver = ["python3", "-c", Self.idle]
        let (ending, lines, _) = try Self.conform(["open", "--timeout", "5"], driver)
        let report = lines.joined(separator: "\n")
        #expect(ending == .status(1))
        #expect(lines.first?.hasPrefix("BROKEN  open: A view is opened") == true)
        #expect(report.contains("clients/rules/opening.jsonl:4: the client didn't send this"))
        #expect(report.contains(#""method": "session/open""#) && report.contains("an idle client"))
        #expect(lines.last == "0 rules kept, 1 broken")
    }

    @Test(.enabled(if: Tool.python.isInstalled, "Python isn't installed"))
    func `a driver that answers without an end of line is told so`() throws {
        let halfAnswering = """
            import socket, sys
            host, port = sys.argv[-1].split(":")
            commands = socket.create_connection((host, int(port)))
            commands.sendall(b"{}")
            for _ in commands.makefile(): pass
            """
        let (ending, lines, _) = try Self.conform(["open", "--timeout", "5"], ["python3", "-c", halfAnswering])
        #expect(ending == .status(1))
        #expect(lines.contains { $0.contains("what the driver said last has no end of line") }, "\(lines)")
    }

    @Test func `the lines of a rule are printed, and are a rule`() throws {
        let print = try Program(Checkout.server, ["conform", "gap", "--print"])
        let lines = try print.lines()
        #expect(try print.end() == .status(0))
        #expect(lines.first?.hasPrefix(#"{"story":"gap","title":"#) == true)
        let folder = try TemporaryFolder()
        let file = try folder.write(lines, to: "gap.jsonl")
        let list = try Program(Checkout.server, ["conform", file, "--list"])
        #expect(try list.lines().map { String($0.prefix(3)) } == ["gap"])
        #expect(try list.end() == .status(0))
    }

    @Test func `what can't be played is said`() throws {
        let none = try Self.conform(["open"], ["/there/is/none"])
        #expect(none.0 == .status(127) && none.errors.contains("the driver can't be started"))
        let unknown = try Self.conform(["opne"], ["true"])
        #expect(unknown.0 == .status(64) && unknown.errors.contains("there is no rule 'opne'"))
        let folder = try TemporaryFolder()
        let file = try folder.write([#"{"story":"one","title":"A rule"}"#, #"{"does":1}"#], to: "own.jsonl")
        let broken = try Self.conform([file], ["true"])
        #expect(broken.0 == .status(64) && broken.errors.contains("\(file):2: a line of a story"))
    }

    @Test(.enabled(if: Tool.python.isInstalled, "Python isn't installed"))
    func `the rule in the article is a rule, and the client in Python keeps it`() throws {
        let article = try Document.article("TestingClients.md")
        let block = try #require(article.block(with: #"{"story":"forgotten""#))
        let folder = try TemporaryFolder()
        let file = try folder.write(block.text.split(separator: "\n").map(String.init), to: "article.jsonl")
        let (ending, lines, errors) = try Self.conform([file], ["python3", "clients/python/tests/driver.py"])
        #expect(ending == .status(0), "\(lines) \(errors)")
    }
}
