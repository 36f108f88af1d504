import Queues
import Synchronization

extension EventLoop: TimerExecutor {
    package func sleep(for duration: Duration) async throws(CancellationError) {
        let sleep = LoopSleep()
        let isOver = await withTaskCancellationHandler {
            await withCheckedContinuation { sleep.begin(for: duration, on: self, $0) }
        } onCancel: {
            sleep.cancel()
        }
        guard isOver else { throw CancellationError() }
    }
}

/// The timer of one sleep. Any thread may use it.
private final class LoopSleep: Sendable {
    private enum State {
        case awaited
        case sleeping(LoopTimer)
        case cancelled
    }

    private let state = Mutex(State.awaited)

    /// Begins the sleep.
    ///
    /// - Parameter sleeper: resumed once, with whether the time has passed.
    func begin(for duration: Duration, on loop: EventLoop, _ sleeper: CheckedContinuation<Bool, Never>) {
        let sleeper = Sleeper(sleeper)
        let timer = loop.schedule(after: duration) { sleeper.wake() }
        let isCancelled = state.withLock { state in
            guard case .awaited = state else { return true }
            state = .sleeping(timer)
            return false
        }
        if isCancelled { timer.cancel() }
    }

    func cancel() {
        let before = state.withLock { state in
            defer { state = .cancelled }
            return state
        }
        if case .sleeping(let timer) = before { timer.cancel() }
    }
}

/// A task that only its timer retains. Where the timer is cancelled, or dropped with its loop, the task goes on.
private final class Sleeper: Sendable {
    private let continuation: Mutex<CheckedContinuation<Bool, Never>?>

    init(_ continuation: CheckedContinuation<Bool, Never>) {
        self.continuation = Mutex(continuation)
    }

    deinit {
        resume(returning: false)
    }

    func wake() {
        resume(returning: true)
    }

    private func resume(returning isOver: Bool) {
        continuation.withLock { $0.take() }?.resume(returning: isOver)
    }
}
