import Synchronization

/// The one outcome that a process ends with: the first that is told counts.
final class EndOfProcess: Sendable {
    typealias Outcome = Result<Int32, any Error>

    private struct State {
        var outcome: Outcome?
        // Not the continuation itself: to lay out a type that has one takes the runtime 0.1 ms, at the process's start.
        var waiter: (@Sendable (Outcome) -> Void)?
    }

    private let state = Mutex(State())

    func finish(with outcome: Outcome) {
        let waiter = state.withLock { state in
            guard state.outcome == nil else { return nil as (@Sendable (Outcome) -> Void)? }
            state.outcome = outcome
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?(outcome)
    }

    /// Waits for the outcome. One task may.
    func status() async -> Outcome {
        await withCheckedContinuation { continuation in
            let outcome = state.withLock { state in
                if state.outcome == nil { state.waiter = { continuation.resume(returning: $0) } }
                return state.outcome
            }
            if let outcome { continuation.resume(returning: outcome) }
        }
    }
}
