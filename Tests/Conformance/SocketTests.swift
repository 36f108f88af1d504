import FoundationEssentials
import Glibc
import Testing

@Suite(.ownThread) struct SocketTests {
    /// The output of `two_views.py`, over any transport.
    private static let story = """
        a speaks 1.2
        b speaks 1.2
        a event 1: count 5
        b joined counter at 1: [{'kind': 'count', 'value': 5}]
        a event 2: count 6
        b event 2: count 6
        b event 3: count -4
        a event 3: count -4
        a event 4: count 5
        b is back as view 2, without a snapshot
        b event 4: count 5
        b session/attach: error -32012
        b session/closed: closed
        a disconnected
        b disconnected
        """

    enum Way: CaseIterable {
        case tcp, unix, tcpAndUnix
    }

    @Test func `a server that listens may have as many clients as the system lets it`() throws {
        let script = #"ulimit -Sn 100; ulimit -Hn 200; exec "$0" --tcp 0 --log-level debug"#
        let server = try Program("/bin/sh", ["-c", script, Checkout.server])
        let line = try server.errorLine()
        #expect(line?.hasSuffix("debug: 200 descriptors may be open, where it was 100") == true)
        _ = try server.listeningAddress()
        try server.signal(SIGTERM)
        #expect(try server.end() == .status(0))
    }

    @Test(.enabled(if: Tool.python.isInstalled, "Python isn't installed"), arguments: Way.allCases)
    func `two connections from Python share a session by its key`(_ way: Way) throws {
        let folder = try TemporaryFolder()
        let path = folder.file("socket")
        let options =
            switch way {
            case .tcp: ["--tcp", "0", "--tcp", "0"]
            case .unix: ["--unix", path, "--unix", folder.file("other")]
            case .tcpAndUnix: ["--tcp", "0", "--unix", path]
            }
        let server = try Program(Checkout.server, options)
        let addresses = [try server.listeningAddress(), try server.listeningAddress()]
        let script = Checkout.conformance("Clients/two_views.py")
        let python = try Program(Tool.python.command, [script] + addresses)
        let seen = try python.lines().joined(separator: "\n")
        #expect(seen == Self.story)
        #expect(try python.end() == .status(0), "\(python.report)")
        try server.signal(SIGTERM)
        #expect(try server.end() == .status(0))
    }

    @Test func `a Unix socket is its user's alone and goes with the server`() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("socket")
        let server = try Program.server("--unix", path)
        #expect(try server.listeningAddress() == path)
        var status = stat()
        try check(lstat(path, &status), "lstat")
        #expect(status.st_mode & 0o7777 == 0o600)
        #expect(status.st_mode & S_IFMT == S_IFSOCK)
        try server.signal(SIGTERM)
        #expect(try server.end() == .status(0))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
    }

    @Test(.enabled(if: Tool.netcat.isInstalled, "nc isn't installed"), arguments: ["--tcp", "--unix"])
    func `a half-closed socket gets its answers`(_ option: String) throws {
        let folder = try TemporaryFolder()
        let server = try Program.server(option, option == "--tcp" ? "0" : folder.file("socket"))
        let netcat = try Program(netcat: server.listeningAddress())
        try netcat.send(
            Wire.initialize, Wire.open(2, "counter"), Wire.viewEvent(3, 1, #"{"kind":"increment","by":2}"#))
        netcat.closeInput()
        let lines = try netcat.lines()
        #expect(Wire.isInitialized(lines.first))
        #expect(lines.suffix(3) == [Wire.count(1, 1, 0), Wire.count(1, 2, 2), Wire.result(3, #"{"seq":2}"#)])
        #expect(try netcat.end() == .status(0))
    }

    @Test(.enabled(if: Tool.netcat.isInstalled, "nc isn't installed"), arguments: ["--pipe", "--socket"])
    func `a client that listens is connected to, and the server ends with it`(_ option: String) throws {
        let folder = try TemporaryFolder()
        let place = option == "--pipe" ? ["-U", folder.file("socket")] : ["127.0.0.1", "0"]
        let client = try Program(Tool.netcat.command, ["-lv"] + place)
        // "Listening on localhost 40123", or the path.
        let listening = try #require(try client.errorLine()?.split(separator: " ").last)
        let server = try Program.server("\(option)=\(listening)")
        try client.send(Wire.initialize)
        #expect(Wire.isInitialized(try client.line()))
        try client.signal(SIGKILL)
        #expect(try server.end() == .status(1))
    }

    @Test(.enabled(if: Tool.netcat.isInstalled, "nc isn't installed"))
    func `exit closes a socket's connection and no more`() throws {
        let server = try Program.server("--tcp", "0")
        let address = try server.listeningAddress()
        for _ in 1...2 {
            let netcat = try Program(netcat: address)
            try netcat.send(Wire.initialize, Wire.exit)
            #expect(Wire.isInitialized(try netcat.line()))
            #expect(try netcat.finish() == .status(0))
        }
        try server.signal(SIGTERM)
        #expect(try server.end() == .status(0))
    }
}

/// A server goes on where a client uses up a resource.
@Suite(.ownThread) struct ExhaustionTests {
    @Test func `a client that never reads standard error doesn't hold up the server`() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("errors")
        try check(mkfifo(path, 0o600), "mkfifo")
        // A pipe that the shell opened to read, too, so that it stays open and fills up.
        let server = try Program("/bin/sh", ["-c", #"exec "$0" --stdio 2<>"$1""#, Checkout.server, path])
        try server.send(Wire.initialize)
        #expect(Wire.isInitialized(try server.line()))
        // Each is worth a line in the log.
        for _ in 0..<3 { try server.write(String(repeating: Wire.result(7, "0") + "\n", count: 1_000)) }
        try server.send(Wire.request(2, "ping"))
        #expect(try server.line() == Wire.result(2, "null"))
        #expect(try server.finish() == .status(1))
    }

    @Test(.enabled(if: Tool.python.isInstalled, "Python isn't installed"))
    func `clients that take all descriptors and are cut off leave a server that serves`() throws {
        let server = try Program("/bin/sh", ["-c", #"ulimit -n 64; exec "$0" --tcp 0"#, Checkout.server])
        let address = try server.listeningAddress()
        let script = Checkout.conformance("Clients/all_descriptors.py")
        let python = try Program(Tool.python.command, [script, address, "\(server.process.id)"])
        #expect(try python.lines() == ["some were refused", "all were cut", "served again"], "\(python.report)")
        try server.signal(SIGTERM)
        #expect(try server.end() == .status(0))
    }
}
