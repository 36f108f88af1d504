import Testing
import ViewModelServer

@testable import Commands

struct OptionTests {
    private enum Order: String, CaseIterable, OptionValue {
        case name, date
    }

    private struct Finder: Server {
        @Option(help: "the folder to look in", valueName: "DIR") var root = "."
        @Option(help: "how deep to look") var maxDepth: Int?
        @Option(name: "exclude", help: "leaves these names out; more than once") var excluded = ["build"]
        @Option(help: "the order of what is found") var sort = Order.name
        @Option(help: "how long a search may take") var patience = Duration.seconds(2.5)
        @Option var port: UInt16?
        @Flag(help: "finds hidden files, too") var hidden = false
        @Flag(help: "doesn't watch for changes") var watch = true

        func register(in registry: inout Registry) {}

        func validate() throws {
            if root == "/", maxDepth == nil { throw ValidationError("--root / needs a --max-depth") }
        }
    }

    private let finder = Finder()

    private func parse(_ arguments: String...) throws -> ServeOptions {
        try ServeOptions(arguments, DeclaredOptions.of(finder))
    }

    @Test func `options that aren't given have their initial values`() throws {
        #expect(try parse("--stdio").usesStdio)
        #expect(finder.root == "." && finder.maxDepth == nil && finder.excluded == ["build"])
        #expect(finder.sort == .name && !finder.hidden && finder.watch)
    }

    @Test func `a server's own options stand among ours`() throws {
        let options = try parse(
            "--root", "/tmp", "--tcp=0", "--max-depth=3", "--hidden", "--exclude", "a", "--no-watch", "--exclude=b",
            "--sort", "date", "--patience", "0.5", "--port", "65535", "--no-web")
        #expect(options.tcp == [try TCPAddress("0")] && !options.hasWeb)
        #expect(finder.root == "/tmp" && finder.maxDepth == 3 && finder.excluded == ["a", "b"])
        #expect(finder.sort == .date && finder.patience == .milliseconds(500) && finder.port == 65_535)
        #expect(finder.hidden && !finder.watch)
    }

    @Test(arguments: [
        (["--max-depth", "deep"], "--max-depth: takes a whole number, not 'deep'"),
        (["--port=65536"], "--port: takes a whole number from 0 to 65535, not '65536'"),
        (["--sort", "size"], "--sort: takes one of name, date, not 'size'"),
        (["--patience", "-1"], "--patience: takes seconds, 0 or more, such as 0.5, not '-1'"),
        (["--hidden=yes"], "--hidden takes no value"), (["--root"], "--root needs a value"),
        (["--root="], "--root needs a value"), (["--watch"], "unknown option '--watch'"),
        (["--ruut", "x"], "unknown option '--ruut'"),
    ])
    func `a wrong value is refused with what the option takes`(_ arguments: [String], _ message: String) {
        let error = #expect(throws: UsageError.self) {
            try ServeOptions(arguments, DeclaredOptions.of(finder))
        }
        #expect(error?.message == message)
    }

    @Test func `help lists them under the server's name, with their initial values`() {
        let help = ServeOptions.help(name: "finder", DeclaredOptions.of(finder))
        #expect(help.hasPrefix("Hosts view models"))
        #expect(
            help.contains(
                """
                Options of finder:
                  --root DIR            the folder to look in (.)
                  --max-depth MAX-DEPTH
                                        how deep to look
                  --exclude EXCLUDED    leaves these names out; more than once (build)
                  --sort SORT           the order of what is found (name)
                  --patience PATIENCE   how long a search may take (2.5)
                  --port PORT
                  --hidden              finds hidden files, too
                  --no-watch            doesn't watch for changes

                Options:
                  --token-file PATH
                """))
        #expect(!ServeOptions.help(name: "finder", .none).contains("Options of"))
        for text in [
            ReplayOptions.help(name: "finder", DeclaredOptions.of(finder)),
            ContractOptions.help(name: "finder", DeclaredOptions.of(finder)),
        ] { #expect(text.contains("Options of finder:\n  --root DIR")) }
    }

    @Test func `an option that every server has is a mistake in the server`() throws {
        struct Taken: Server {
            @Option var tcp = ""
            func register(in registry: inout Registry) {}
        }
        struct Twice: Server {
            @Option(name: "root") var first = ""
            @Option(name: "--root") var second = ""
            func register(in registry: inout Registry) {}
        }
        let taken = #expect(throws: UsageError.self) { try DeclaredOptions.of(Taken()).check() }
        #expect(taken?.message.contains("declares --tcp, which every server has") == true)
        let twice = #expect(throws: UsageError.self) { try DeclaredOptions.of(Twice()).check() }
        #expect(twice?.message == "this server declares --root twice")
        try DeclaredOptions.of(finder).check()
    }

    @Test func `options that only together are wrong are refused before anything is registered`() async throws {
        _ = try parse("--root", "/")
        let application = Application(
            name: "finder", version: "1", limits: Finder.limits, options: DeclaredOptions.of(finder), host: finder.host)
        let error = await #expect(throws: UsageError.self) { _ = try await application.registry() }
        #expect(error?.message == "--root / needs a --max-depth")
    }

    @Test func `two servers of a type don't share values`() throws {
        _ = try parse("--root", "/tmp")
        #expect(Finder().root == ".")
    }

    @Test func `a server without a name has that of its module in a test`() {
        #expect(Finder.name == "ViewModelServerTests" && Finder.version == "0.0.0")
    }
}
