import FoundationEssentials
import Glibc
import Testing

@Suite(.ownThread) struct RecordTests {
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.file("story.jsonl")
    }

    private func record(_ options: [String] = [], _ command: String...) throws -> Program {
        try Program(Checkout.server, ["record", path] + options + ["--"] + command)
    }

    @Test func `a conversation is recorded as it was, to its end on both sides`() throws {
        let program = try record(["--title", "Counting"], Checkout.server, "--stdio")
        try program.send(Wire.initialize, Wire.open(2, "counter"))
        program.closeInput()
        let seen = try program.lines()
        #expect(seen.count == 3)
        // Without shutdown, the server's own.
        let end = try program.end()
        #expect(end == .status(1))
        let errorText = try program.errorText()
        #expect(errorText == "")
        let transcript = try Transcript(path)
        let version = try #require(try Program.server("--version").line())
        #expect(
            transcript.header == """
                {"transcript":1,"title":"Counting","server":"\(version)","protocolVersion":"1.2"}
                """)
        #expect(transcript.messages(from: "client") == [Wire.initialize, Wire.open(2, "counter")])
        #expect(transcript.messagesOfServer() == seen)
        #expect(transcript.lines.contains(Transcript.end("client")))
        #expect(transcript.lines.last == Transcript.end("server"))
    }

    @Test(
        .enabled(
            if: Tool.neovim.isInstalled && Tool.pylsp.isInstalled,
            "Neovim or Python's language server isn't installed"))
    func `Neovim and a language server that know nothing of it are recorded`() throws {
        let example = folder.file("example.py")
        try "def greet(name):\n    return 'hello ' + nam\n".write(toFile: example, atomically: false, encoding: .utf8)
        let server = "\(Checkout.server) record \(path) -- \(Tool.pylsp.command)"
        var environment = ["LANGUAGE_SERVER": server, "TERM": "dumb", "HOME": folder.path]
        for name in ["CACHE", "CONFIG", "DATA", "STATE"] { environment["XDG_\(name)_HOME"] = folder.path }
        let neovim = try Program(
            Tool.neovim.command,
            ["--headless", "-u", "NONE", "-S", Checkout.conformance("Clients/hover.lua"), example],
            environment: environment)
        neovim.closeInput()
        #expect(try neovim.lines() == ["diagnostics came", "hover: greet", "exit: status 0"])
        #expect(try neovim.end() == .status(0), "\(neovim.report)")
        let transcript = try Transcript(path)
        #expect(transcript.header.contains(#""server":"pylsp "#))
        // As Neovim writes it: members in no order, and escaped slashes.
        for word in ["initialize", "initialized", #"textDocument\/hover"#, "shutdown", "exit"] {
            #expect(transcript.messages(from: "client").contains { $0.contains(#""method":"\#(word)""#) }, "\(word)")
        }
        let diagnostics = #""method":"textDocument\/publishDiagnostics""#
        #expect(transcript.messages(from: "server").contains { $0.contains(diagnostics) })
        #expect(transcript.lines.last == Transcript.end("server"))
    }

    @Test(.enabled(if: Tool.python.isInstalled, "Python isn't installed"))
    func `a client that is killed leaves everything that passed`() throws {
        // Reads less than it is sent, so that both directions are full of bytes on their way.
        let client = """
            import subprocess, sys
            server = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
            number = 0
            while True:
                number += 1
                server.stdin.write(b'{"id":%d}\\n' % number)
                server.stdin.flush()
                if number % 3 == 0: sys.stdout.buffer.write(server.stdout.readline())
                if number % 300 == 0: sys.stdout.flush()
            """
        // Says what it hears, and writes it down.
        let server = ["tee", folder.file("heard")]
        let program = try Program(
            Tool.python.command, ["-c", client, Checkout.server, "record", path, "--"] + server)
        for _ in 0..<1_000 { _ = try program.line() }
        let recorder = try ProcessHandle(try #require(try program.process.children().first))
        try program.signal(SIGKILL)
        #expect(recorder.ends())
        let heard = try lines(folder.file("heard"))
        // The client has sent so many when it has written a thousand.
        #expect(heard.count >= 3_000)
        let transcript = try Transcript(path)
        expectSame(transcript.messages(from: "client"), heard)
        expectSame(transcript.messages(from: "server"), heard)
    }

    @Test func `a server that is killed leaves everything that passed`() throws {
        let program = try record([], "sh", "-c", "echo \"{\\\"pid\\\":$$}\"; exec tee \(folder.file("heard"))")
        let first = try #require(try program.line())
        let server = try #require(pid_t(first.filter(\.isNumber)))
        for number in 1...2_000 { try program.send("{\"id\":\(number)}") }
        var seen = [first]
        for _ in 1...500 { seen.append(try program.line() ?? "") }
        kill(server, SIGKILL)
        seen += try program.lines()
        #expect(try program.end() == .status(128 + SIGKILL))
        let transcript = try Transcript(path)
        expectSame(transcript.messages(from: "server"), Self.whole(seen))
        // It may have died before it read everything.
        let heard = Self.whole(try lines(folder.file("heard")))
        expectSame(Array(transcript.messages(from: "client").prefix(heard.count)), heard)
    }

    @Test func `a file that nobody reads doesn't hold up the conversation, and gets all of it`() throws {
        try check(mkfifo(path, 0o600), "mkfifo")
        let program = try record([], "cat")
        let text = String(repeating: "x", count: 1_000)
        for number in 1...1_000 {
            let message = "{\"id\":\(number),\"text\":\"\(text)\"}"
            try program.send(message)
            #expect(try program.line() == message)
        }
        program.closeInput()
        #expect(try program.line() == nil)
        let reader = try Program("cat", [path])
        let lines = try reader.lines()
        #expect(lines.count == 1 + 2_000 + 2)
        #expect(try program.end() == .status(0))
    }

    @Test(
        arguments: [
            (["true"], 0), (["sh", "-c", "exit 3"], 3), (["sh", "-c", "kill -s KILL $$"], 128 + SIGKILL),
        ] as [([String], Int32)])
    func `the status is the program's`(_ command: [String], _ status: Int32) throws {
        let program = try Program(Checkout.server, ["record", path, "--"] + command)
        #expect(try program.end() == .status(status))
        #expect(try Transcript(path).header.contains(#""title":"story","server":"\#(command[0])""#))
    }

    @Test(arguments: [("no-such-program", 127), ("/dev/null", 126)] as [(String, Int32)])
    func `a program that can't be started is named, and nothing is recorded`(_ name: String, _ status: Int32) throws {
        let program = try record([], name)
        #expect(try program.errorText().contains(name))
        #expect(try program.end() == .status(status))
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test(arguments: [SIGTERM, SIGINT, SIGHUP])
    func `a signal reaches the server once, and what it then says is recorded`(_ number: Int32) throws {
        let program = try record([], Checkout.server, "--stdio")
        try program.send(Wire.initialize, Wire.open(2, "counter"))
        try program.readLines(upTo: Wire.count(1, 1, 0))
        // As Emacs and a terminal do: to all of a group.
        try check(kill(-program.process.id, number), "kill")
        #expect(try program.lines() == [Wire.closed(1, "serverShutdown")])
        // Told twice, the server would end with another status.
        #expect(try program.end() == .status(0))
        #expect(try Transcript(path).messages(from: "server").last == Wire.closed(1, "serverShutdown"))
    }

    @Test func `a file that exists is recorded over only when that is asked for`() throws {
        try "precious".write(toFile: path, atomically: false, encoding: .utf8)
        let refused = try record([], "cat")
        #expect(try refused.errorText().contains("--overwrite"))
        #expect(try refused.end() == .status(73))
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "precious")
        let program = try record(["--overwrite"], "cat")
        #expect(try program.finish() == .status(0))
        #expect(try Transcript(path).lines == [Transcript.end("client"), Transcript.end("server")])
    }

    @Test func `when the disk is full the conversation goes on, and the status says so`() throws {
        let program = try Program(Checkout.server, ["record", "/dev/full", "--", "cat"])
        try program.send("{\"id\":1}")
        for number in 2...1_500 {
            try program.send("{\"id\":\(number)}")
            #expect(try program.line() == "{\"id\":\(number - 1)}")
        }
        program.closeInput()
        #expect(try program.lines() == ["{\"id\":1500}"])
        #expect(try program.end() == .status(74))
        let errorText = try program.errorText()
        #expect(errorText == "view-model-server: /dev/full: No space left on device")
    }

    @Test func `redacted, a transcript has no token and no key`() throws {
        let program = try record(["--redact"], Checkout.server, "--stdio")
        try program.send(Wire.request(1, "initialize", #"{"token":"open sesame"}"#), Wire.open(2, "counter"))
        try program.readLines(upTo: Wire.count(1, 1, 0))
        try program.send(Wire.request(3, "session/list"))
        let list = try #require(try program.line())
        let key = try #require(list.firstMatch(of: /"key":"([^"]+)"/)?.1)
        _ = try program.finish()
        let transcript = try Transcript(path)
        #expect(!transcript.lines.contains { $0.contains("sesame") || $0.contains(key) })
        #expect(transcript.messages(from: "client")[0].contains(#""token":"[redacted]""#))
        #expect(transcript.messages(from: "server").last == list.replacing(key, with: "key-1"))
    }

    @Test(
        arguments: [
            ([], "record needs a file"), (["x"], "record needs '-- COMMAND…'"), (["x", "--"], "must follow '--'"),
            (["x", "y", "--", "cat"], "'y' is another"), (["-", "--", "cat"], "name a file"),
            (["x", "--tcp", "0"], "--to"), (["x", "--to", "1"], "--tcp"),
            (["x", "--tcp", "0", "--", "cat"], "not both"),
            (["x", "--frob", "--", "cat"], "'--frob'"),
        ] as [([String], String)])
    func `a wrong option ends with status 64 and says how to go on`(_ arguments: [String], _ words: String) throws {
        let program = try Program(Checkout.server, ["record"] + arguments)
        let text = try program.errorText()
        #expect(text.contains(words))
        #expect(text.contains("'view-model-server record --help'"))
        #expect(try program.end() == .status(64))
        #expect(!FileManager.default.fileExists(atPath: "x"))
    }

    /// Without a last line that the program which wrote it didn't finish: that is no message.
    private static func whole(_ lines: [String]) -> [String] {
        lines.last?.hasSuffix("}") == false ? lines.dropLast() : lines
    }

    /// Without thousands of lines in a failure.
    private func expectSame(_ actual: [String], _ expected: [String]) {
        #expect(actual.count == expected.count)
        let difference = zip(actual, expected).first { $0 != $1 }
        #expect(difference == nil)
    }

    private func lines(_ path: String) throws -> [String] {
        try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map(String.init)
    }
}
