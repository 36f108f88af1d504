import Glibc
import Testing

@testable import Transport

/// The server's WebSocket under the cases of others, and under their programs.
/// One after another: each loads a core.
@Suite(.enabled(if: Tool.python.isInstalled, "Python isn't installed"), .ownThreadAtOnce, .serialized)
struct WebSocketTests {
    /// Sections of the Autobahn test suite, whose cases `suite.py` has; each is a run of its own, so that they are seen
    /// apart.
    @Test(arguments: ["1", "2", "3", "4", "5", "6", "7", "9", "10", "x"])
    func `no case of the Autobahn test suite fails, and none is taken leniently`(_ section: String) throws {
        let server = try EchoServer()
        let suite = Checkout.conformance("WebSocket/suite.py")
        let python = try Program(
            Tool.python.command, [suite, server.address, "--only", section])
        let lines = try python.lines()
        #expect(try python.end() == .status(0), "\(python.report)")
        let closing = try #require(lines.last)
        let numbers = closing.split(separator: " ").compactMap { Int($0) }
        #expect(numbers.count == 3 && (numbers.first ?? 0) > 0 && numbers.dropFirst() == [0, 0], "\(lines)")
    }

    @Test func `the port keeps to the rules of HTTP, WebSocket and the protocol, seen from outside`() throws {
        let checks = Checkout.conformance("WebSocket/jsonrpc.py")
        let python = try Program(Tool.python.command, [checks, Checkout.server])
        let lines = try python.lines()
        let ending = try python.end()
        #expect(ending == .status(0), "\(lines.joined(separator: "\n"))\n\(python.report)")
    }

    @Test func `the checks of HTTP see what a server does wrong`() throws {
        let python = try Program(
            Tool.python.command, [Checkout.conformance("WebSocket/test_http.py")])
        #expect(try python.end() == .status(0), "\(python.report)")
    }
}

/// A server in this process that sends each WebSocket message back as it came.
final class EchoServer {
    /// HOST:PORT.
    let address: String
    private let loop: EventLoop

    init() throws {
        loop = try EventLoop(name: "echo")
        address = try loop.prepare { [loop] in
            let listener = try Listener.tcp(host: "127.0.0.1", port: 0, on: loop) { stream in
                _ = HTTPConnection(stream, answer: Self.answer)
                stream.start()
            }
            return listener.address
        }
        try loop.start()
    }

    deinit {
        loop.stop()
    }

    private static func answer(_ request: HTTPRequest) -> HTTPConnection.Answer {
        switch WebSocketHandshake.check(request) {
        case .failure(let refusal): .response(refusal.response)
        case .success(let handshake): .webSocket(handshake) { begin($0) }
        }
    }

    private static func begin(_ stream: WebSocketStream) {
        stream.settings.takesBinary = true
        // The messages of some cases are of that length.
        stream.settings.messageBytes = 16 << 20
        stream.handler = Echo()
        stream.start()
    }
}

private final class Echo: ByteStreamHandler {
    func stream(_ stream: any ByteStream, didRead bytes: UnsafeRawBufferPointer) {
        guard let stream = stream as? WebSocketStream else { return }
        if stream.isMessageBinary {
            stream.write(.binary) { $0.append(contentsOf: bytes) }
        } else {
            stream.write { $0.append(contentsOf: bytes) }
        }
        stream.isReadingPaused = stream.unsentByteCount > 1 << 20
    }

    func streamDidReachEnd(_ stream: any ByteStream) {
        stream.finish()
    }

    func streamDidSend(_ stream: any ByteStream) {
        stream.isReadingPaused = false
    }

    func stream(_ stream: any ByteStream, didClose error: SystemError?) {}
}
