import Testing

/// The README is run, not only read. Its package is built by `OutsidePackageTests`.
@Suite(.ownThread) struct ReadmeTests {
    @Test func `the conversation to type is answered as the text says`() throws {
        let readme = try Readme()
        let asked = try #require(readme.block(with: #""id":1,"method":"initialize"}"#)).lines
        let opened = try #require(readme.block(with: #""id":2,"result""#)).lines
        let counted = try #require(readme.block(with: #"{"seq":2}"#)).lines
        let server = try Program.server("--stdio")
        try server.send(asked[0])
        #expect(Wire.isInitialized(try server.line()))
        for (question, answers) in zip(asked.dropFirst(), [opened, counted]) {
            try server.send(question)
            for answer in answers { #expect(withoutKey(try server.line()) == withoutKey(answer)) }
        }
    }

    @Test func `what is typed in a terminal shows what the text says`() throws {
        let screen = try #require(try Readme().block(with: "$ view-model-server connect")).lines.dropFirst(4)
        let typed = screen.compactMap { line in line.firstRange(of: "> ").map { String(line[$0.upperBound...]) } }
        let program = try Program.server("connect", "--", Checkout.server, "--stdio")
        try program.send(typed.joined(separator: "\n"))
        // A script has no prompts, and names what comes on screen instead.
        let shown = try program.lines().filter { !$0.hasSuffix(":") }
        #expect(typed.count > 5 && shown == screen.filter { !$0.contains("> ") })
        #expect(try program.finish() == .status(0), "\(program.report)")
    }

    @Test func `every method and notification is named`() throws {
        let readme = try Readme()
        for name in LayoutTests.methods { #expect(readme.text.contains("| `\(name)`"), "\(name)") }
    }

    @Test func `both commands of a new user are there`() throws {
        let commands = try #require(try Readme().block(with: "swift test"))
        #expect(commands.text.contains("swift run view-model-server"))
    }

    @Test func `the options of the help are explained`() throws {
        let readme = try Readme()
        for option in ["--stdio", "--tcp", "--unix", "--pipe", "--socket", "--token-file", "--help"] {
            #expect(readme.text.contains(option), "\(option)")
        }
    }

    /// A session's key is another each time.
    private func withoutKey(_ line: String?) -> String? {
        line?.replacing(#/"key":"[A-Za-z0-9_-]{22}"/#, with: #""key":"""#)
    }
}
