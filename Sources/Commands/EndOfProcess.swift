import Synchronization
import Transport

/// The outcome that a process ends with. Only the first one counts.
final class EndOfProcess: Sendable {
    typealias Outcome = Result<Int32, any Error>

    private struct State {
        var outcome: Outcome?
        // A closure and not the continuation, whose type would delay the start of the process.
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

    /// Waits for the outcome. At most one task may wait.
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

/// Ends the process when the client that spawned it ends, even if other processes keep the pipes open.
///
/// A client that isn't visible from here (in another container, say) is not watched; then only the end of input counts.
struct ParentWatch: Sendable {
    let loop: EventLoop
    let end: EndOfProcess

    func watch(_ processID: Int) {
        guard let pid = Int32(exactly: processID) else { return }
        loop.execute { [loop, end] in
            _ = ProcessWatcher(pid: pid, on: loop) { end.finish(with: .success(1)) }
        }
    }
}
