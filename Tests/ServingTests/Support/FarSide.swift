import Synchronization
import TestSupport
import Transport

/// The processes of the clients of a server with `--isolate`, played by a test: the far ends of the links to them, as streams in
/// memory, with their channels in the order in which they were opened.
final class FarSide: Sendable {
    /// One that never says a word, in whose place this is.
    static let program = ["/bin/sleep", "600"]

    private let channels = Mutex<[(stream: LoopBound<LinkStream>, loop: EventLoop)]>([])
    /// The messages that came, of all channels.
    let received = Recorder<String>()

    /// For `Isolation`.
    func wrap(_ stream: any ByteStream) -> any ByteStream {
        let loop = stream.loop
        let (near, far) = MemoryStream.pair(loop: loop)
        _ = Link(
            accepting: far, token: [], settings: .ofProcess,
            accept: { [self] _, make in
                let channel = make(loop, "a client")
                channel.handler = End(received)
                channel.start()
                let bound = LoopBound(channel, loop: loop)
                channels.withLock { $0.append((bound, loop)) }
            })
        stream.close()
        return near
    }

    /// Does something with a channel, on its loop.
    func with<Result: Sendable>(
        _ index: Int = 0, _ body: @escaping @Sendable (LinkStream) -> Result
    ) async -> Result {
        let (stream, loop) = channels.withLock { $0[index] }
        return await withCheckedContinuation { continuation in
            loop.execute { continuation.resume(returning: body(stream.value)) }
        }
    }

    /// - Parameter count: only so much of the message is sent.
    func send(_ message: String, first count: Int = .max, on index: Int = 0) async {
        let bytes = TestFraming.headers.frame(message)
        await with(index) { $0.write(isLast: count >= bytes.count) { $0.append(contentsOf: bytes.prefix(count)) } }
    }

    private final class End: ByteStreamHandler {
        private let received: Recorder<String>

        init(_ received: Recorder<String>) { self.received = received }

        func stream(_ stream: any ByteStream, didRead bytes: UnsafeRawBufferPointer) {
            received.record(String(decoding: bytes, as: UTF8.self))
        }

        func streamDidReachEnd(_ stream: any ByteStream) { stream.finish() }
        func streamDidSend(_ stream: any ByteStream) {}
        func stream(_ stream: any ByteStream, didClose error: SystemError?) {}
    }
}
