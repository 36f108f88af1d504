import Glibc
import Testing

/// What a client can use up, the server does without.
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
        let python = try Program(Tool.python.command, [script, address])
        #expect(try python.lines() == ["some were refused", "all were cut", "served again"], "\(python.report)")
        try server.signal(SIGTERM)
        #expect(try server.end() == .status(0))
    }
}
