import FoundationEssentials
import Sessions
import Testing

/// The README and the articles are run, not only read: every fenced block is run by one of these tests, or by the test
/// that owns it (`OwnBlock`), or is an `Excerpt` with a reason.
@Suite(.ownThread) struct DocumentationTests {
    /// The kinds of blocks that are run as they are, in the order of the document.
    private static let languages = ["sh", "console", "python", "json", "jsonrpc", "synopsis"]

    @Test(arguments: try Document.all())
    func `every block is run by a test, or is an excerpt with a reason`(_ document: Document) throws {
        let own = try OwnBlock.allCases.map { try $0.block().place }
        #expect(Set(own).count == own.count, "each block has one owner")
        for block in document.blocks {
            let excerpts = Excerpt.all.filter { $0.matches(block) }
            if own.contains(block.place) || excerpts.count == 1 { continue }
            #expect(Self.languages.contains(block.language), "\(block.place): nothing runs \"\(block.language)\"")
            #expect(excerpts.isEmpty, "\(block.place) is several excerpts")
        }
    }

    @Test func `every excerpt is there`() throws {
        let blocks = try Document.all().flatMap(\.blocks)
        for excerpt in Excerpt.all {
            #expect(blocks.count(where: excerpt.matches) == 1, "\(excerpt.document): \(excerpt.begin)")
        }
    }

    @Test(arguments: [("## Promises under abuse", 20), ("### Promises of a store", 8)])
    func `every promise is held by tests that exist`(_ title: String, _ count: Int) throws {
        let text = try Document.article("RunningInProduction.md").text
        let chapter = try #require(text.split(separator: title + "\n").last)
        let rows = chapter.split(separator: "\n").drop { !$0.hasPrefix("|") }.prefix { $0.hasPrefix("|") }
        let files = try FileManager.default.subpathsOfDirectory(atPath: "\(Checkout.root)/Tests").map { "Tests/\($0)" }
        #expect(rows.count > count)
        for row in rows.dropFirst(2) {
            let tests = row.split(separator: "|").last?.matches(of: /`([^`]+)`/).map { String($0.1) } ?? []
            #expect(!tests.isEmpty, "\(row)")
            for test in tests {
                #expect(files.contains { $0 == test || $0.hasSuffix("/\(test).swift") }, "\(test)")
            }
        }
    }

    @Test func `every limit is in the article on production, and has a promise that is held`() throws {
        let text = try Document.article("RunningInProduction.md").text
        let names = Set(Limits.names)
        for name in names { #expect(text.contains("`\(name)`"), "the article doesn't have \(name)") }
        let chapter = try #require(text.split(separator: "## Promises under abuse").last)
        let promised = chapter.split(separator: "\n").filter { $0.hasPrefix("|") }.flatMap { row in
            row.split(separator: "|").dropFirst().first?.matches(of: /`([^`]+)`/).map { String($0.1) } ?? []
        }
        #expect(Set(promised).symmetricDifference(names).sorted() == [])
    }

    @Test(
        .enabled(if: Tool.python.isInstalled && Tool.jq.isInstalled && Tool.curl.isInstalled, "a program is missing"),
        arguments: try Document.all())
    func `the commands and conversations of a document do as it shows`(_ document: Document) throws {
        let folder = try PageFolder()
        var conversation = try WrittenConversation()
        let own = try OwnBlock.allCases.map { try $0.block().place }
        for block in document.blocks {
            if own.contains(block.place) || Excerpt.all.contains(where: { $0.matches(block) }) { continue }
            switch block.language {
            case "sh": try run(block, in: folder)
            case "console": try TypedSession(block).run(in: folder)
            case "python": try runPython(block, in: folder)
            case "json": try conversation.run(block)
            case "jsonrpc":
                var alone = try WrittenConversation()
                try alone.run(block)
                try alone.end()
            case "synopsis": try check(synopsis: block, in: folder)
            default: break
            }
        }
        try conversation.end()
    }

    /// A server would not end, so only its options are checked.
    private func run(_ block: Document.Block, in folder: PageFolder) throws {
        let lines = block.lines.map { line in
            guard line.hasPrefix("view-model-server --") else { return line }
            return line.replacing(#/ +#.*$/#, with: "") + " --help"
        }
        let result = try folder.bash("set -e\n" + lines.joined(separator: "\n"))
        #expect(result.ending == .status(0), "\(block.place): \(result.lines)")
    }

    private func runPython(_ block: Document.Block, in folder: PageFolder) throws {
        try folder.write(block.text, to: "program.py")
        let result = try folder.bash("python3 program.py")
        #expect(result.ending == .status(0) && !result.lines.isEmpty, "\(block.place): \(result.lines)")
    }

    /// Each line is one of the help's.
    private func check(synopsis block: Document.Block, in folder: PageFolder) throws {
        for line in block.lines {
            let words = line.split(separator: " ")
            let help = try folder.bash("\(words[0]) \(words[1]) --help").lines
            #expect(help.contains { $0.hasSuffix(" \(line)") }, "\(block.place): \(line)")
        }
    }

    @Test func `a session in a terminal shows the lines of the text`() throws {
        let screen = try OwnBlock.connect.block().lines.dropFirst(4)
        let typed = screen.compactMap { line in line.firstRange(of: "> ").map { String(line[$0.upperBound...]) } }
        let program = try Program.server("connect", "--", Checkout.server, "--stdio")
        try program.send(typed.joined(separator: "\n"))
        // A script has no prompts, and names what comes on screen instead.
        let shown = try program.lines().filter { !$0.hasSuffix(":") }
        #expect(typed.count > 5 && shown == screen.filter { !$0.contains("> ") })
        #expect(try program.finish() == .status(0), "\(program.report)")
    }

    /// Only a terminal shows them.
    @Test func `a session in a terminal begins with the view models that the server has`() throws {
        let program = try Program.server("--stdio")
        try program.send(#"{"jsonrpc":"2.0","id":1,"method":"initialize"}"#)
        let answer = try #require(try program.line())
        let capabilities = try #require(answer.firstMatch(of: /"viewModels":\[([^\]]*)\]/))
        let names = capabilities.1.matches(of: /"name":"([a-zA-Z]+)"/).map { String($0.1) }
        #expect(names.count > 5)
        #expect(try OwnBlock.connect.block().lines.contains("View models: \(names.joined(separator: ", "))"))
        _ = try program.finish()
    }

    @Test(.enabled(if: Tool.neovim.isInstalled, "Neovim isn't installed"))
    func `the beginning of a client in Neovim shows an event`() throws {
        try expectCount(from: .neovim) { path in
            let wait = "lua vim.wait(600000, function() return false end, 10)"
            return (.neovim, ["--headless", "-u", "NONE", "-c", "luafile \(path)", "-c", wait])
        }
    }

    @Test(.enabled(if: Tool.emacs.isInstalled, "Emacs isn't installed"))
    func `the beginning of a client in Emacs shows an event`() throws {
        try expectCount(from: .emacs) { path in
            (.emacs, ["-Q", "--batch", "-l", path, "--eval", "(while t (accept-process-output nil 0.1))"])
        }
    }

    @Test(.enabled(if: vimHasChannels, "Vim with channels isn't installed: Debian's vim has them, vim-tiny not"))
    func `the beginning of a client in Vim shows an event`() throws {
        try expectCount(from: .vim) { path in
            (.vim, ["-V1", "-i", "NONE", "-Nu", "NONE", "-es", "-S", path, "-c", "sleep 600"])
        }
    }

    /// The editor prints the counter's first event to standard error, as it does with messages where it has no screen.
    private func expectCount(
        from own: OwnBlock, _ command: (_ path: String) -> (tool: Tool, arguments: [String])
    ) throws {
        let folder = try TemporaryFolder()
        let path = folder.file("begin")
        try own.block().text.write(toFile: path, atomically: false, encoding: .utf8)
        let (tool, arguments) = command(path)
        let environment = ["TERM": "dumb", "HOME": folder.path, "PATH": PageFolder.searchPath]
        let editor = try Program(tool.command, arguments, environment: environment)
        var seen: [String] = []
        while !(seen.last?.contains("count") ?? false) {
            seen.append(try #require(try editor.errorLine(), "\(seen)"))
        }
    }

    @Test func `the unit for systemd starts a server, which a signal ends in good order`() throws {
        let folder = try TemporaryFolder()
        let unit = try OwnBlock.unit.block()
        let start = try #require(unit.lines.first { $0.hasPrefix("ExecStart=") }).dropFirst("ExecStart=".count)
        let words = start.split(separator: " ").map {
            String($0).replacing("127.0.0.1:7351", with: "127.0.0.1:0").replacing("%d", with: folder.path)
                .replacing("%S", with: folder.path)
        }
        #expect(words.first == "/usr/local/bin/view-model-server")
        try "secret-of-this-test\n".write(toFile: folder.file("token"), atomically: false, encoding: .utf8)
        // As `StateDirectory=` does.
        try FileManager.default.createDirectory(atPath: folder.file("view-models"), withIntermediateDirectories: false)
        let server = try Program(Checkout.server, Array(words.dropFirst()))
        _ = try server.listeningAddress()
        try server.signal(15)
        #expect(try server.end() == .status(0))
    }

    @Test(
        .enabled(if: Tool.systemdAnalyze.isInstalled, "systemd isn't installed"),
        arguments: [(OwnBlock.unit, "view-models.service"), (.severalUnit, "view-models@.service")])
    func `systemd takes the unit as it is`(_ unit: OwnBlock, _ name: String) throws {
        let folder = try TemporaryFolder()
        try unit.block().text.replacing("/usr/local/bin/view-model-server", with: Checkout.server)
            .write(toFile: folder.file(name), atomically: false, encoding: .utf8)
        let report = try Program(Tool.systemdAnalyze.command, ["verify", folder.file(name)]).errorText()
        let complaints = report.split(separator: "\n").filter { $0.contains("view-models") }
        #expect(complaints.isEmpty)
    }

    @Test func `help prints each article as it is in its file, and lists it`() throws {
        let list = try Program.server("help").lines()
        let files = try Document.all().filter { $0.name != "README.md" && $0.name != "ViewModelServer.md" }
        var printed: [String] = []
        for line in list.drop(while: { $0 != "Pages:" }).dropFirst().prefix(while: { !$0.isEmpty }) {
            let name = try #require(line.split(separator: " ").first)
            let program = try Program.server("help", String(name))
            printed.append(try program.lines().map { $0 + "\n" }.joined())
            #expect(try program.end() == .status(0))
        }
        #expect(Set(printed) == Set(files.map(\.text)) && printed.count == files.count)
    }

    @Test func `help knows the commands too, and names a topic that it doesn't know`() throws {
        #expect(try Program.server("help", "mock").lines() == Program.server("mock", "--help").lines())
        let program = try Program.server("help", "me")
        #expect(try program.errorText().contains("'me'"))
        #expect(try program.end() == .status(64))
    }

    @Test func `the README is short`() throws {
        #expect(try Document.readme().text.utf8.count <= 12 << 10)
        #expect(try OwnBlock.greeter.block().lines.count <= 25)
        #expect(try OwnBlock.client.block().lines.count <= 11)
    }

    @Test func `every link leads to a file`() throws {
        for document in try Document.all() {
            let folder = document.name == "README.md" ? Checkout.root : "\(Checkout.root)/\(Document.catalogue)"
            for link in document.text.matches(of: #/\]\(([^)#:]+)\)/#) {
                let path = "\(folder)/\(link.1)"
                #expect(FileManager.default.fileExists(atPath: path), "\(document.name): \(link.1)")
            }
        }
    }

    @Test func `the reference names every method and notification, in tables that can be generated`() throws {
        let reference = try Document.article("ProtocolReference.md").text
        for name in try LayoutTests.methods() { #expect(reference.contains("| `\(name)`"), "\(name)") }
        for table in ["methods", "notifications", "errors", "limits"] {
            #expect(reference.contains("<!-- generated: \(table) -->\n| "))
        }
        #expect(reference.matches(of: #/ \|\n<!-- end generated -->\n/#).count == 4)
    }

    @Test func `the options of the help are explained`() throws {
        let help = try Program.server("--help").lines().joined(separator: "\n")
        let texts = try Document.all().map(\.text).joined()
        let options = Set(help.matches(of: #/\n  (--[A-Za-z-]+)/#).map { String($0.1) })
        #expect(options.count > 10)
        for option in options { #expect(texts.contains(option), "\(option)") }
    }
}
