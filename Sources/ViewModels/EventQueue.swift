import Synchronization

/// Brings events from any thread to an asynchronous receiver, one at a time, in the order in which they were pushed.
///
/// It has a task only while events wait.
final class EventQueue<Event: Sendable>: Sendable {
    private struct State {
        var waiting: [Event] = []
        var isDraining = false
        var isClosed = false
        var waiters: [CheckedContinuation<Void, Never>] = []
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
            defer { (state.waiting, state.waiters) = ([], []) }
            return (state.waiting, state.waiters)
        }
        for waiter in dropped.1 { waiter.resume() }
    }

    private func drain() async {
        while let batch = takeWaiting() {
            for event in batch where !isClosed { await receive(event) }
        }
    }

    private var isClosed: Bool { state.withLock { $0.isClosed } }

    private func takeWaiting() -> [Event]? {
        let (events, waiters) = state.withLock { state -> ([Event]?, [CheckedContinuation<Void, Never>]) in
            defer { (state.waiting, state.waiters) = ([], []) }
            if state.waiting.isEmpty { state.isDraining = false }
            return (state.waiting.isEmpty ? nil : state.waiting, state.waiters)
        }
        for waiter in waiters { waiter.resume() }
        return events
    }
}

extension EventQueue: OutputPace {
    /// How many events may wait before `waitForRoom()` does.
    private static var room: Int { 64 }

    /// Returns when the receiver has begun with all that waits. A receiver that doesn't return is waited for, even by a
    /// task that is cancelled.
    nonisolated(nonsending) func waitForRoom() async throws {
        guard state.withLock({ $0.waiting.count >= Self.room && !$0.isClosed }) else { return }
        await withCheckedContinuation { continuation in
            let mayGoOn = state.withLock { state in
                if state.waiting.count < Self.room || state.isClosed { return true }
                state.waiters.append(continuation)
                return false
            }
            if mayGoOn { continuation.resume() }
        }
    }
}
