import Synchronization

/// Collects elements in order, from any thread, and lets a test wait for them.
package final class Recorder<Element: Sendable>: Sendable {
    private struct State {
        var elements: [Element] = []
        var watchers: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let state = Mutex(State())

    package init() {}

    package var elements: [Element] { state.withLock { $0.elements } }

    package func record(_ element: Element) {
        let due = state.withLock { state in
            state.elements.append(element)
            let count = state.elements.count
            defer { state.watchers.removeAll { $0.count <= count } }
            return state.watchers.filter { $0.count <= count }
        }
        for watcher in due { watcher.continuation.resume() }
    }

    /// Waits until at least `count` elements were recorded, and returns all.
    package func elements(count: Int) async -> [Element] {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                if state.elements.count < count { state.watchers.append((count, continuation)) }
                return state.elements.count >= count
            }
            if isThere { continuation.resume() }
        }
        return elements
    }
}
