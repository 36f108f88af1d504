import Synchronization

/// Coders that wait for their next use, with their memory and the facts about key types.
///
/// Kept because to set up a coder takes longer than a short event. May be called from any thread. As many wait at most
/// as were in use at once.
final class CoderPool<Coder: PooledCoder>: Sendable {
    // A coder that waits is known to nobody else, and one that was taken to one thread only.
    private struct Waiting: @unchecked Sendable {
        var last: Unmanaged<Coder>?
    }

    private let waiting = Mutex(Waiting())

    /// Nil where none waits.
    func take() -> Coder? {
        waiting.withLock { waiting in
            guard let coder = waiting.last?.takeUnretainedValue() else { return Waiting() }
            defer { waiting.last = coder.nextInPool }
            return waiting
        }.last?.takeRetainedValue()
    }

    /// - Parameter coder: nobody else has it.
    func put(_ coder: Coder) {
        let last = Waiting(last: .passRetained(coder))
        waiting.withLock { waiting in
            coder.nextInPool = waiting.last
            waiting = last
        }
    }
}

protocol PooledCoder: AnyObject {
    /// While it waits: the next one that does.
    var nextInPool: Unmanaged<Self>? { get set }
}
