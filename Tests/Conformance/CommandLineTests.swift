import Testing

@Suite(.ownThread) struct CommandLineTests {
    @Test func `--help prints the options to standard output`() throws {
        let program = try Program.server("--help")
        let text = try program.lines().joined(separator: "\n")
        for option in ["--stdio", "--tcp", "--unix", "--token-file", "--token auto", "--limit", "--version", "Usage: "]
        {
            #expect(text.contains(option))
        }
        let errorText = try program.errorText()
        #expect(errorText == "")
        #expect(try program.end() == .status(0))
    }

    @Test func `--version prints a name and a version`() throws {
        let program = try Program.server("--version")
        let words = try #require(try program.line()).split(separator: " ")
        #expect(words.first == "view-model-server")
        #expect(words.last?.split(separator: ".").count == 3)
        #expect(try program.end() == .status(0))
    }

    @Test(arguments: [
        "help", "help protocol", "help connect", "--help", "--version", "connect --help", "new --help",
        "replay Tests/Transcripts/hello.jsonl",
    ])
    func `a command that can't print what was asked for ends with status 74 and says why`(_ command: String) throws {
        for (output, reason) in [(">/dev/full", "space left"), (">&-", "file descriptor")] {
            let script = #"cd "$1" && exec "$0" \#(command) \#(output)"#
            let program = try Program("sh", ["-c", script, Checkout.server, Checkout.root])
            let text = try program.errorText()
            // Of a long text the C library keeps no more than that it failed.
            #expect(text.contains("write standard output: "), "\(text)")
            #expect(text.contains(reason) || text.contains("not all of it could be written"), "\(text)")
            #expect(try program.end() == .status(74))
        }
    }

    @Test(arguments: [
        (["--frob"], "'--frob'"), (["frob"], "'frob'"), (["--stdio=yes"], "--stdio"),
        (["--tcp"], "--tcp"), (["--tcp", "many"], "'many'"), (["--tcp", "65536"], "'65536'"), (["--unix="], "--unix"),
        (["--log-level", "loud"], "'loud'"), (["--token-file", "/nowhere/token", "--tcp", "0"], "/nowhere/token"),
        (["--token", "s3cret"], "--token-file"), (["--token", "auto", "--token-file", "/a"], "--token-file"),
        (["--token", "auto", "--stdio"], "--tcp"), (["--limit", "sessions"], "NAME=VALUE"),
        (["--limit", "nosuch=1"], "'nosuch'"), (["--limit", "sessions=many"], "'many'"),
    ])
    func `a wrong option ends with status 64 and says how to go on`(_ arguments: [String], _ word: String) throws {
        try expectUsageError(arguments, naming: word)
    }

    @Test(arguments: [
        (["contract"], "'swift package contract'"), (["contract", "--check"], "'swift package contract --check'"),
        (["contract", "--check", "--python", "/tmp"], "--symbols"),
        (["contract", "--symbols", "/nowhere"], "'/nowhere'"),
        (["--stdio", "--schemas", "/nowhere"], "there is no /nowhere/board.schema.json"),
    ])
    func `a contract has doc comments, and is there`(_ arguments: [String], _ word: String) throws {
        try expectUsageError(arguments, naming: word)
    }

    @Test(arguments: [
        (["--tcp", "0", "--views", "/nowhere"], "/nowhere has no views.js"), (["--stdio", "--views", "/tmp"], "--tcp"),
        (["--tcp", "0", "--views", "/tmp", "--no-web"], "the web page"),
    ])
    func `the page's own views are there, and so is the page`(_ arguments: [String], _ word: String) throws {
        try expectUsageError(arguments, naming: word)
    }

    @Test(arguments: [
        (["new"], "name the view model"), (["new", "class"], "'class'"), (["new", "a/b"], "'a/b'"),
        (["new", "Orders", "Order"], "'Order'"), (["new", "Orders", "--folder", "/dev"], "Package.swift in '/dev'"),
        (["new", "Orders", "--dry-run=yes"], "--dry-run"),
    ])
    func `a new view model needs a name and a package`(_ arguments: [String], _ word: String) throws {
        try expectUsageError(arguments, naming: word)
    }

    @Test(arguments: [
        ["--stdio", "--tcp", "0"], ["--stdio", "--unix", "/tmp/never-made"], ["--pipe", "/tmp/never-made", "--stdio"],
    ])
    func `stdio goes with no other transport`(_ arguments: [String]) throws {
        try expectUsageError(arguments, naming: "--stdio")
    }

    @Test(arguments: ["0.0.0.0:0", "[::]:0"])
    func `an address that others reach is refused without a token`(_ address: String) throws {
        try expectUsageError(["--tcp", address], naming: "--token-file")
    }

    @Test func `a port that is taken ends with status 69`() throws {
        let first = try Program.server("--tcp", "0")
        let address = try first.listeningAddress()
        let second = try Program.server("--tcp", address)
        #expect(try second.errorText().contains(address))
        #expect(try second.end() == .status(69))
    }

    private func expectUsageError(_ arguments: [String], naming word: String) throws {
        let program = try Program(Checkout.server, arguments)
        let text = try program.errorText()
        #expect(text.contains(word))
        #expect(text.contains("--help"))
        #expect(try program.lines() == [])
        #expect(try program.end() == .status(64))
    }
}

@Suite(.enabled(if: Tool.script.isInstalled, "script (of bsdutils) isn't installed"), .ownThread)
struct TerminalTests {
    @Test func `on a terminal without arguments it serves a person, and Ctrl-C ends it`() throws {
        // `script` gives the server a terminal and copies what it shows; -e makes the server's status its own. It runs
        // the command by `$SHELL`: some stay between the two, get the Ctrl-C as well and end by it, so they are told
        // not to.
        let terminal = try Program(Tool.script.command, ["-qefc", "exec \(Checkout.server)", "/dev/null"])
        var shown: [String] = []
        while let line = try terminal.line() {
            shown.append(line)
            if line.contains("session/open") { break }
        }
        let prefix = "listening on "
        let address = try #require(shown.first { $0.hasPrefix(prefix) }?.dropFirst(prefix.count))
        #expect(address.hasPrefix("127.0.0.1:"))
        #expect(shown.contains { $0.contains("nc 127.0.0.1 ") })
        if Tool.netcat.isInstalled {
            let client = try Program(netcat: String(address))
            try client.send(Wire.initialize)
            #expect(Wire.isInitialized(try client.line()))
        }
        try terminal.write("\u{3}")
        #expect(try terminal.end() == .status(0))
    }
}
