import Transport

/// A server in this process that sends each WebSocket message back as it came.
final class EchoServer {
    /// What a client connects to.
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
        loop.start()
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
            stream.writeBinary { $0.append(contentsOf: bytes) }
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
