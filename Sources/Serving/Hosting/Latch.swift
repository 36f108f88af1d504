import Synchronization

/// Opens when it was counted down often enough, or when somebody opens it. One task may wait.
package final class Latch: Sendable {
    private struct State {
        var count: Int
        // Not the continuation itself: to lay out a type that has one takes the runtime 0.1 ms, at the process's start.
        var waiter: (@Sendable () -> Void)?
    }

    private let state: Mutex<State>

    package init(count: Int) {
        state = Mutex(State(count: count))
    }

    package func countDown() {
        lower(to: { $0 - 1 })
    }

    package func open() {
        lower(to: { _ in 0 })
    }

    package func wait() async {
        await withCheckedContinuation { continuation in
            let isOpen = state.withLock { state in
                if state.count > 0 { state.waiter = { continuation.resume() } }
                return state.count <= 0
            }
            if isOpen { continuation.resume() }
        }
    }

    private func lower(to next: (Int) -> Int) {
        let waiter = state.withLock { state in
            state.count = max(next(state.count), 0)
            guard state.count == 0 else { return nil as (@Sendable () -> Void)? }
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?()
    }
}
