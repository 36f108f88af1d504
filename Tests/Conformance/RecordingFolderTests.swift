import FoundationEssentials
import Glibc
import Testing

@Suite(.ownThread) struct RecordingFolderTests {
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.file("transcripts")
    }

    private var files: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: path).sorted().map { "\(path)/\($0)" } }
    }

    @Test func `a server records its client, for its user alone`() throws {
        for _ in 1...2 {
            let server = try Program.server("--stdio", "--record", path)
            try server.send(Wire.initialize, Wire.shutdown, Wire.exit)
            let seen = try server.lines()
            #expect(try server.end() == .status(0))
            let transcript = try Transcript(try #require(try files.last))
            #expect(transcript.messages(from: "client") == [Wire.initialize, Wire.shutdown, Wire.exit])
            #expect(transcript.messagesOfServer() == seen)
            #expect(transcript.lines.last == Transcript.end("server"))
        }
        #expect(try files.count == 2, "the second has a name of its own")
        for file in try files {
            var status = stat()
            try check(stat(file, &status), "stat")
            #expect(status.st_mode & 0o777 == 0o600)
            #expect(file.contains(/\/\d{8}T\d{6}\.\d{3}Z-0001\.jsonl$/), "\(file)")
        }
    }

    @Test(.enabled(if: Tool.netcat.isInstalled, "nc isn't installed"))
    func `each connection has a file, also those that a signal ends`() throws {
        let server = try Program.server("--tcp", "0", "--record", path, "--redact")
        let address = try server.listeningAddress()
        let clients = [try Program(netcat: address), try Program(netcat: address)]
        for client in clients {
            try client.send(Wire.request(1, "initialize", #"{"token":"open sesame"}"#), Wire.open(2, "counter"))
            try client.readLines(upTo: Wire.count(1, 1, 0))
        }
        try server.signal(SIGTERM)
        #expect(try server.end() == .status(0))
        #expect(try files.count == 2)
        for file in try files {
            let transcript = try Transcript(file)
            #expect(!transcript.lines.contains { $0.contains("sesame") })
            #expect(transcript.messages(from: "server")[1].contains(#""key":"key-1""#))
            #expect(transcript.messages(from: "server").last == Wire.closed(1, "serverShutdown"))
            #expect(transcript.lines.last == Transcript.end("server"))
        }
    }

    @Test(.enabled(if: Tool.python.isInstalled && Tool.netcat.isInstalled, "Python or nc isn't installed"))
    func `of a TCP port conversations are recorded, also over WebSocket, and pages aren't`() throws {
        let server = try Program.server("--tcp", "0", "--record", path)
        let address = try server.listeningAddress()
        let page = try Program(netcat: address)
        try page.write("GET /healthz HTTP/1.0\r\n\r\n")
        #expect(try page.line()?.hasPrefix("HTTP/1.1 200") ?? false)
        let client = try Program(Tool.python.command, [Checkout.conformance("Clients/web_socket.py"), address])
        #expect(try client.lines() == ["counter {'kind': 'count', 'value': 0}", "-32700"])
        #expect(try client.end() == .status(0), "\(client.report)")
        try server.signal(SIGTERM)
        #expect(try server.end() == .status(0))
        let file = try #require(try files.first)
        #expect(try files.count == 1)
        let transcript = try Transcript(file)
        let opening = Wire.request(2, "session/open", #"{"viewModel":"counter"}"#)
        #expect(transcript.messages(from: "client").last == opening)
        #expect(transcript.lines.contains { $0.contains(#""text":"no JSON"#) }, "\(transcript.lines)")
        #expect(transcript.messages(from: "server").contains(Wire.count(1, 1, 0)))
    }

    @Test(arguments: [["--record", "/dev/null"], ["--record", "/nowhere/folder"], ["--redact"]])
    func `a folder that can't be had ends with status 64`(_ options: [String]) throws {
        let server = try Program(Checkout.server, ["--stdio"] + options)
        #expect(try server.errorText().contains(options.joined(separator: " ")))
        #expect(try server.end() == .status(64))
    }
}
