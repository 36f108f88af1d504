import LibC
import Synchronization
import TestSupport
import Testing
import Transport

/// All tests of the module, one after the other: some load both cores.
@Suite(.inTurn, .serialized) enum TransportTests {}

/// The event that a test waited for didn't come.
struct DeadlinePassed: Error, CustomStringConvertible {
    let description: String
}

/// Against hanging only: far more than a loaded machine needs.
let deadline: Duration = .seconds(120)

/// Runs `body` with a loop, then ends the loop. `DescriptorLeakTests` checks that no descriptors are left.
func withLoop(
    _ poller: PollerKind, clock: ManualClock? = nil, _ body: (EventLoop) async throws -> Void
) async throws {
    let loop = try EventLoop(name: "test", poller: poller, clock: clock)
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

/// For a process in which nothing else runs: other suites have descriptors of their own. Swift's pool may have one for
/// a moment, hence the retries.
func expectDescriptors(_ before: Set<Int32>) async throws {
    let start = ContinuousClock.now
    while !openDescriptors().subtracting(before).isEmpty, ContinuousClock.now - start < deadline {
        await Task.yield()
    }
    let leaked = openDescriptors().subtracting(before).map(target(of:))
    #expect(leaked == [], "open descriptors are left: \(leaked)")
}

/// The kernel's name for the file of a descriptor.
private func target(of descriptor: Int32) -> String {
    var words = [CChar](repeating: 0, count: 256)
    let count = readlink("/proc/self/fd/\(descriptor)", &words, words.count)
    let bytes = words.prefix(max(0, count)).map { UInt8(bitPattern: $0) }
    return "\(descriptor): \(String(decoding: bytes, as: UTF8.self))"
}

/// The descriptors of the process, but for timerfds: Dispatch, below Swift's pool, opens and closes one; the transport
/// has none.
func openDescriptors() -> Set<Int32> {
    guard let directory = opendir("/proc/self/fd") else { return [] }
    defer { closedir(directory) }
    let own = dirfd(directory)
    var descriptors: Set<Int32> = []
    while let entry = readdir(directory) {
        let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
            pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
        }
        if let number = Int32(name), number != own { descriptors.insert(number) }
    }
    return descriptors.filter { !target(of: $0).hasSuffix("[timerfd]") }
}

extension EventLoop {
    /// Runs `body` on the loop and returns what it returns.
    func run<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            execute { continuation.resume(with: Result { try body() }) }
        }
    }

    /// Lets so many turns pass. Bytes that were written before have arrived in memory streams after two.
    func turns(_ count: Int) async throws {
        for _ in 0..<count { try await run {} }
    }

    /// Moves the clock of this loop's timers, when what was written before has arrived: it may set one. Those that are due fire
    /// in the next turn.
    func advance(_ clock: ManualClock, by duration: Duration) async throws {
        try await turns(2)
        try await run { clock.advance(by: duration) }
    }

    /// Waits until `body` calls `keep`, or fails at the deadline. On the loop.
    func wait<Value: Sendable>(
        for what: String, _ body: @escaping @Sendable (_ keep: @escaping @Sendable (Value) -> Void) throws -> Void
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            let once = Once(continuation)
            // In real time, whatever clock the loop has.
            let limit = Task {
                try await Task.sleep(for: deadline)
                once.resume(.failure(DeadlinePassed(description: what)))
            }
            execute {
                do {
                    try body { value in
                        limit.cancel()
                        once.resume(.success(value))
                    }
                } catch {
                    limit.cancel()
                    once.resume(.failure(error))
                }
            }
        }
    }
}

private final class Once<Value: Sendable>: Sendable {
    private let continuation: Mutex<CheckedContinuation<Value, any Error>?>

    init(_ continuation: CheckedContinuation<Value, any Error>) {
        self.continuation = Mutex(continuation)
    }

    func resume(_ result: Result<Value, any Error>) {
        let taken = continuation.withLock { continuation in
            defer { continuation = nil }
            return continuation
        }
        taken?.resume(with: result)
    }
}
