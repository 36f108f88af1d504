import Transport

/// An end of a connection, with the text it received.
final class Talker: ByteStreamHandler {
    let stream: any ByteStream
    private(set) var text = ""
    private(set) var hasHeardEnd = false
    private(set) var isClosed = false
    private var waiting: [(condition: (Talker) -> Bool, keep: () -> Void)] = []

    /// Starts the stream.
    init(_ stream: any ByteStream) {
        self.stream = stream
        stream.handler = self
        stream.start()
    }

    func say(_ text: String) {
        stream.write { $0.append(contentsOf: text.utf8) }
    }

    func stream(_ stream: any ByteStream, didRead bytes: UnsafeRawBufferPointer) {
        text += String(decoding: bytes, as: UTF8.self)
        check()
    }

    func streamDidReachEnd(_ stream: any ByteStream) {
        hasHeardEnd = true
        check()
    }

    func streamDidSend(_ stream: any ByteStream) {
        check()
    }

    func stream(_ stream: any ByteStream, didClose error: SystemError?) {
        isClosed = true
        check()
    }

    func when(_ condition: @escaping (Talker) -> Bool, _ keep: @escaping () -> Void) {
        waiting.append((condition, keep))
        check()
    }

    private func check() {
        for (index, wait) in waiting.enumerated().reversed() where wait.condition(self) {
            waiting.remove(at: index)
            wait.keep()
        }
    }
}

extension LoopBound where Value == Talker {
    /// Waits until the condition holds.
    func until(on loop: EventLoop, _ condition: @escaping @Sendable (Talker) -> Bool) async {
        await withCheckedContinuation { continuation in
            loop.execute { value.when(condition) { continuation.resume() } }
        }
    }
}
