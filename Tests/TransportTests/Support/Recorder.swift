import Synchronization
import Testing
import Transport

/// A handler that records its calls; a test may set what it does in each.
final class Recorder: ByteStreamHandler {
    let stream: any ByteStream
    private(set) var bytes: [UInt8] = []
    /// Of a stream that keeps them apart.
    private(set) var messages: [[UInt8]] = []
    private(set) var readCount = 0
    private(set) var endCount = 0
    private(set) var sentCount = 0
    private(set) var closures: [SystemError?] = []
    private(set) var failures: [SystemError] = []
    var readsOn = false
    var didRead: (Recorder, UnsafeRawBufferPointer) -> Void = { _, _ in }
    var didEnd: (Recorder) -> Void = { _ in }
    var didSend: (Recorder) -> Void = { _ in }
    var didClose: (Recorder) -> Void = { _ in }
    private var waiting: [(condition: (Recorder) -> Bool, keep: () -> Void)] = []

    var isClosed: Bool { !closures.isEmpty }
    var text: String { String(decoding: bytes, as: UTF8.self) }

    /// Becomes the stream's handler; doesn't start it.
    init(_ stream: any ByteStream) {
        self.stream = stream
        stream.handler = self
    }

    func send(_ text: String) {
        stream.write { $0.append(contentsOf: text.utf8) }
    }

    func stream(_ stream: any ByteStream, didRead bytes: UnsafeRawBufferPointer) {
        expectOpen(stream)
        if stream.carriesMessages { messages.append(Array(bytes)) } else { #expect(!bytes.isEmpty) }
        readCount += 1
        self.bytes.append(contentsOf: bytes)
        didRead(self, bytes)
        check()
    }

    func streamDidReachEnd(_ stream: any ByteStream) {
        expectOpen(stream)
        endCount += 1
        #expect(endCount == 1)
        didEnd(self)
        check()
    }

    func streamDidSend(_ stream: any ByteStream) {
        expectOpen(stream)
        sentCount += 1
        didSend(self)
        check()
    }

    func stream(_ stream: any ByteStream, readsOnAfter error: SystemError) -> Bool {
        expectOpen(stream)
        failures.append(error)
        return readsOn
    }

    func stream(_ stream: any ByteStream, didClose error: SystemError?) {
        expectOpen(stream)
        closures.append(error)
        didClose(self)
        check()
    }

    private func expectOpen(_ stream: any ByteStream) {
        #expect(stream.loop.isCurrent)
        #expect(closures.isEmpty, "called after didClose")
    }

    func when(_ condition: @escaping (Recorder) -> Bool, _ keep: @escaping () -> Void) {
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

extension LoopBound where Value == Recorder {
    /// Waits until what was recorded meets the condition.
    func until(
        _ what: String, on loop: EventLoop, _ condition: @escaping @Sendable (Recorder) -> Bool
    ) async throws {
        try await loop.wait(for: what) { keep in
            value.when(condition) { keep(()) }
        }
    }
}

/// Counts from any thread.
final class Counter: Sendable {
    private let count = Atomic<Int>(0)

    var value: Int { count.load(ordering: .sequentiallyConsistent) }

    func increment() {
        count.wrappingAdd(1, ordering: .sequentiallyConsistent)
    }
}
