import Synchronization

/// A gate that opens once it is counted down to 0, or when `open` is called. At most one task may wait at it.
package final class Latch: Sendable {
    private struct State {
        var count: Int
        // Not the continuation itself, whose type would delay the start of the process.
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

    package var isOpen: Bool { state.withLock { $0.count <= 0 } }

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
