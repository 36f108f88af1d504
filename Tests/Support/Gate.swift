import LibC
import Synchronization

/// Holds whoever waits until a test opens it; open, it stays open.
package final class Gate: Sendable {
    private struct State {
        var isOpen = false
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    package init() {}

    package func open() {
        let waiters = state.withLock { state in
            state.isOpen = true
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    package var isOpen: Bool { state.withLock { $0.isOpen } }

    package func wait() async {
        await withCheckedContinuation { continuation in
            let isOpen = state.withLock { state in
                if !state.isOpen { state.waiters.append(continuation) }
                return state.isOpen
            }
            if isOpen { continuation.resume() }
        }
    }

    /// Holds the calling thread, for what can't wait in any other way. Only on a thread of a test's own (`onThread`): tasks
    /// share few.
    package func block() {
        while !isOpen { sched_yield() }
    }
}
