import LibC
import Synchronization

/// Holds tasks and threads until a test opens it. Once open, it stays open.
package final class Gate: Sendable {
    private struct State {
        var isOpen = false
        var waiters: [@Sendable () -> Void] = []
    }

    private let state = Mutex(State())

    package init() {}

    package func open() {
        let waiters = state.withLock { state in
            state.isOpen = true
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter() }
    }

    package var isOpen: Bool { state.withLock { $0.isOpen } }

    package func wait() async {
        await withCheckedContinuation { continuation in whenOpen { continuation.resume() } }
    }

    /// Blocks the calling thread, for code that can't wait in any other way. Only on a thread of a test's own
    /// (`onThread`): tasks share few threads.
    package func block() {
        // POSIX lets any thread use a semaphore, and this one destroys it after the only post.
        nonisolated(unsafe) let opened = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)
        sem_init(opened, 0, 0)
        whenOpen { sem_post(opened) }
        while sem_wait(opened) != 0 {}
        sem_destroy(opened)
        opened.deallocate()
    }

    private func whenOpen(_ waiter: @escaping @Sendable () -> Void) {
        let isOpen = state.withLock { state in
            if !state.isOpen { state.waiters.append(waiter) }
            return state.isOpen
        }
        if isOpen { waiter() }
    }
}
