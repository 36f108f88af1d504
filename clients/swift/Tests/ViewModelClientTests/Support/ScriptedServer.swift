import Synchronization
import TestSupport
import Transport
import ViewModelClient

/// A server that says what a test wants, whatever that is.
final class ScriptedServer: Sendable {
    /// The lines that were received.
    let received = Recorder<String>()
    private let answers: @Sendable (String) -> [String]

    static let welcome =
        #"{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"1.1","serverInfo":{"name":"script","version":"1"},"#
        + #""capabilities":{"viewModels":[{"name":"a"}],"children":[{"name":"b","type":"M.B"}],"resume":true,"durable":false},"#
        + #""limits":{"messageBytes":1000000,"sessions":10,"pendingEvents":64,"replayEvents":10}}}"#

    /// - Parameter answers: lines to send when a line came, beside the answer to `initialize`.
    init(_ answers: @escaping @Sendable (String) -> [String] = { _ in [] }) {
        self.answers = answers
    }

    var target: ClientTarget {
        .streams("script") { [self] loop in
            let (near, far) = MemoryStream.pair(loop: loop)
            serve(far)
            return near
        }
    }

    /// Converses on a stream of the loop that this is called on.
    func serve(_ stream: MemoryStream) {
        stream.handler = Conversation(self)
        stream.start()
    }

    private final class Conversation: ByteStreamHandler {
        private let server: ScriptedServer
        private var bytes: [UInt8] = []

        init(_ server: ScriptedServer) {
            self.server = server
        }

        func stream(_ stream: any ByteStream, didRead received: UnsafeRawBufferPointer) {
            bytes.append(contentsOf: received)
            while let end = bytes.firstIndex(of: UInt8(ascii: "\n")) {
                let line = String(decoding: bytes[..<end], as: UTF8.self)
                bytes.removeFirst(end + 1)
                server.received.record(line)
                for answer in server.answers(line) { stream.write { $0.append(contentsOf: "\(answer)\n".utf8) } }
            }
        }

        func streamDidReachEnd(_ stream: any ByteStream) {
            stream.finish()
        }

        func streamDidSend(_ stream: any ByteStream) {}
        func stream(_ stream: any ByteStream, didClose error: SystemError?) {}
    }
}

/// Runs `body` on a loop of its own.
func withLoop(_ body: (EventLoop) async throws -> Void) async throws {
    let loop = try EventLoop(name: "script")
    try loop.start()
    do {
        try await body(loop)
    } catch {
        loop.stop()
        await loop.join()
        throw error
    }
    loop.stop()
    await loop.join()
}
