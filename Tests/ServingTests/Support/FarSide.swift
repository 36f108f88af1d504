import Synchronization
import TestSupport
import Transport

/// The processes of the clients of a server with `--isolate`, played by a test: the far ends of the connections to them, as
/// streams in memory, in the order in which they were made.
final class FarSide: Sendable {
    /// One that never says a word, in whose place this is.
    static let program = ["/bin/sleep", "600"]

    private let ends = Mutex<[(end: LoopBound<End>, loop: EventLoop)]>([])
    /// The messages that came, of all connections.
    let received = Recorder<String>()

    /// For `Isolation`.
    func wrap(_ stream: any ByteStream) -> any ByteStream {
        let (near, far) = MemoryStream.pair(loop: stream.loop)
        let end = End(far, received)
        far.handler = end
        far.start()
        let bound = LoopBound(end, loop: stream.loop)
        ends.withLock { [loop = stream.loop] in $0.append((bound, loop)) }
        stream.close()
        return near
    }

    /// Does something with the stream of a connection, on its loop.
    func with<Result: Sendable>(
        _ index: Int = 0, _ body: @escaping @Sendable (MemoryStream) -> Result
    ) async -> Result {
        let (end, loop) = ends.withLock { $0[index] }
        return await withCheckedContinuation { continuation in
            loop.execute { continuation.resume(returning: body(end.value.stream)) }
        }
    }

    func send(_ bytes: some Collection<UInt8> & Sendable, on index: Int = 0) async {
        await with(index) { $0.write { $0.append(contentsOf: bytes) } }
    }

    private final class End: ByteStreamHandler {
        let stream: MemoryStream
        private let received: Recorder<String>
        private var bytes: [UInt8] = []

        init(_ stream: MemoryStream, _ received: Recorder<String>) {
            (self.stream, self.received) = (stream, received)
        }

        func stream(_ stream: any ByteStream, didRead bytes: UnsafeRawBufferPointer) {
            self.bytes.append(contentsOf: bytes)
            while let message = TestFraming.headers.unframe(&self.bytes) { received.record(message) }
        }

        func streamDidReachEnd(_ stream: any ByteStream) { stream.finish() }
        func streamDidSend(_ stream: any ByteStream) {}
        func stream(_ stream: any ByteStream, didClose error: SystemError?) {}
    }
}
