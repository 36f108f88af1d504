import Glibc
import Testing

/// Real sockets that are lost after any byte. The tests of the Swift client do this with more of them, in memory.
@Suite(.ownThread, .enabled(if: Tool.python.isInstalled, "Python isn't installed")) struct ComingBackTests {
    @Test func `a hundred sockets that are cut again and again see every number once`() throws {
        let server = try Program.server("--tcp", "0")
        let script = Checkout.conformance("Clients/cut.py")
        let python = try Program(
            Tool.python.command, [script, server.listeningAddress(), "100", "500", "2026"])
        #expect(try python.lines() == ["100 of 100 saw 500 events once and in order", "cut often"])
        #expect(try python.end() == .status(0), "\(python.report)")
        try server.signal(SIGTERM)
        #expect(try server.end() == .status(0))
    }
}
