import Synchronization

/// Brings events from any thread to an asynchronous receiver, one at a time, in the order in which they were pushed.
///
/// It has a task only while events wait.
final class EventQueue<Event: Sendable>: Sendable {
    private struct State {
        var waiting: [Event] = []
        var isDraining = false
        var isClosed = false
    }

    private let state = Mutex(State())
    private let receive: @Sendable (Event) async -> Void

    init(receive: @escaping @Sendable (Event) async -> Void) {
        self.receive = receive
    }

    /// Queues an event. Any thread may call it. Does nothing once the queue is closed.
    func push(_ event: Event) {
        let isFirst = state.withLock { state in
            guard !state.isClosed else { return false }
            state.waiting.append(event)
            defer { state.isDraining = true }
            return !state.isDraining
        }
        if isFirst {
            // Detached, since it brings the events of others too: the first caller's task-local values, such as
            // `WorkDoneProgress.current`, are not theirs.
            Task.detached { await self.drain() }
        }
    }

    /// Drops the events that wait. One that is on its way to the receiver still arrives.
    func close() {
        let dropped = state.withLock { state in
            state.isClosed = true
            defer { state.waiting = [] }
            return state.waiting
        }
        withExtendedLifetime(dropped) {}
    }

    private func drain() async {
        while let batch = takeWaiting() {
            for event in batch where !isClosed { await receive(event) }
        }
    }

    private var isClosed: Bool { state.withLock { $0.isClosed } }

    private func takeWaiting() -> [Event]? {
        state.withLock { state in
            guard !state.waiting.isEmpty else {
                state.isDraining = false
                return nil
            }
            defer { state.waiting = [] }
            return state.waiting
        }
    }
}
