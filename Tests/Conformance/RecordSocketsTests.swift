import FoundationEssentials
import Glibc
import Testing

@Suite(.ownThread) struct RecordSocketsTests {
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.file("story.jsonl")
    }

    @Test(.enabled(if: Tool.netcat.isInstalled, "nc isn't installed"), arguments: [false, true])
    func `clients of a socket are recorded, each by its number`(_ isUnix: Bool) throws {
        let server =
            isUnix ? try Program.server("--unix", folder.file("server")) : try Program.server("--tcp", "0")
        let address = try server.listeningAddress()
        let listening = isUnix ? ["--unix", folder.file("recorder")] : ["--tcp", "0"]
        let recorder = try Program(Checkout.server, ["record", path] + listening + ["--to", address])
        let place = try recorder.listeningAddress()

        let first = try Program(netcat: place)
        try first.send(Wire.initialize, Wire.open(2, "counter"))
        let seen = [try first.line(), try first.line(), try first.line()].compactMap(\.self)
        #expect(seen.last == Wire.count(1, 1, 0))
        let key = try #require(seen[1].firstMatch(of: /"key":"([^"]+)"/)?.1)
        let second = try Program(netcat: place)
        let attach = Wire.request(2, "session/attach", #"{"key":"\#(key)"}"#)
        try second.send(Wire.initialize, attach)
        #expect(Wire.isInitialized(try second.line()))
        #expect(try second.line()?.contains(#""id":2,"result":"#) == true)
        // Without any framing.
        let third = try Program(netcat: place)
        try third.write("GET / HTTP/1.1\r\n\r\n")
        third.closeInput()
        while try third.line() != nil {}
        second.closeInput()
        #expect(try second.lines() == [])

        // The first is still connected.
        try recorder.signal(SIGTERM)
        #expect(try recorder.end() == .status(0))
        first.closeInput()
        #expect(try first.lines() == [])
        let transcript = try Transcript(path)
        #expect(transcript.header.contains(#""title":"story","server":"view-model-server "#))
        #expect(transcript.messages(from: "client") == [Wire.initialize, Wire.open(2, "counter")])
        #expect(transcript.messagesOfServer() == seen)
        #expect(transcript.messages(from: "client", connection: 2) == [Wire.initialize, attach])
        #expect(transcript.lines.contains(Transcript.end("client", connection: 2)))
        #expect(transcript.lines.contains(Transcript.end("server", connection: 2)))
        let web = #"{"from":"client","connection":3,"unframed":"GET / HTTP/1.1\r\n\r\n"}"#
        #expect(transcript.lines.contains(web))
    }

    @Test(.enabled(if: Tool.netcat.isInstalled, "nc isn't installed"))
    func `a client finds nobody where there is no server, and others are still served`() throws {
        let recorder = try Program(
            Checkout.server, ["record", path, "--tcp", "0", "--to", folder.file("nowhere")])
        let place = try recorder.listeningAddress()
        for _ in 1...2 {
            let client = try Program(netcat: place)
            client.closeInput()
            #expect(try client.lines() == [])
            #expect(try recorder.errorLine()?.contains("nowhere") == true)
        }
        try recorder.signal(SIGINT)
        #expect(try recorder.end() == .status(0))
    }

    @Test func `a port that is taken ends with status 69, and nothing is recorded`() throws {
        let server = try Program.server("--tcp", "0")
        let address = try server.listeningAddress()
        let recorder = try Program(Checkout.server, ["record", path, "--tcp", address, "--to", address])
        #expect(try recorder.errorText().contains(address))
        #expect(try recorder.end() == .status(69))
        #expect(!FileManager.default.fileExists(atPath: path))
    }
}
