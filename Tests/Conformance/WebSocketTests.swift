import Glibc
import Testing

/// The server's WebSocket under the cases of others, and under their programs.
/// One after another: each loads a core.
@Suite(.enabled(if: Tool.python.isInstalled, "Python isn't installed"), .ownThread, .serialized)
struct WebSocketTests {
    /// For whole runs of many cases, on a machine that has other work to do.
    private static let patience: Duration = .seconds(300)

    /// Sections of the Autobahn test suite, whose cases `suite.py` has; each is a run of its own, so that they are seen apart.
    @Test(arguments: ["1", "2", "3", "4", "5", "6", "7", "9", "10", "x"])
    func `no case of the Autobahn test suite fails, and none is taken leniently`(_ section: String) throws {
        let server = try EchoServer()
        let suite = Checkout.conformance("WebSocket/suite.py")
        let python = try Program(
            Tool.python.command, [suite, server.address, "--only", section], patience: Self.patience)
        let lines = try python.lines()
        #expect(try python.end() == .status(0), "\(python.report)")
        let closing = try #require(lines.last)
        let numbers = closing.split(separator: " ").compactMap { Int($0) }
        #expect(numbers.count == 3 && (numbers.first ?? 0) > 0 && numbers.dropFirst() == [0, 0], "\(lines)")
    }

    @Test func `the port keeps to the rules of HTTP, WebSocket and the protocol, seen from outside`() throws {
        let checks = Checkout.conformance("WebSocket/jsonrpc.py")
        let python = try Program(Tool.python.command, [checks, Checkout.server], patience: Self.patience)
        let lines = try python.lines()
        let ending = try python.end()
        #expect(ending == .status(0), "\(lines.joined(separator: "\n"))\n\(python.report)")
    }

    @Test func `the checks of HTTP see what a server does wrong`() throws {
        let python = try Program(
            Tool.python.command, [Checkout.conformance("WebSocket/test_http.py")], patience: Self.patience)
        #expect(try python.end() == .status(0), "\(python.report)")
    }

    @Test func `the suite itself sees what an echo server does wrong`() throws {
        let tests = Checkout.conformance("WebSocket/test_suite.py")
        let python = try Program(Tool.python.command, [tests], patience: Self.patience)
        #expect(try python.end() == .status(0), "\(python.report)")
    }
}
