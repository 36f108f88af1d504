import Synchronization

/// Brings events from any thread to an asynchronous receiver, one at a time, in the order in which they were pushed.
///
/// The queue has a task only while events wait.
final class EventQueue<Event: Sendable>: Sendable {
    private struct State {
        var waiting: [Event] = []
        var isDraining = false
        var isClosed = false
        var waiters = RoomWaiters()

        func isFull(_ room: Int) -> Bool { waiting.count >= room && !isClosed }
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

    /// Closes the queue and drops the events that wait. One that is on its way to the receiver still arrives.
    func close() {
        let dropped = state.withLock { state in
            state.isClosed = true
            defer { state.waiting = [] }
            return (state.waiting, state.waiters.removeAll())
        }
        for waiter in dropped.1 { waiter.resume() }
    }

    private func drain() async {
        while var batch = takeWaiting() {
            batch.reverse()
            // Each is released when it has been received: somebody may wait for that.
            while let event = batch.popLast() {
                if !isClosed { await receive(event) }
            }
        }
    }

    private var isClosed: Bool { state.withLock { $0.isClosed } }

    private func takeWaiting() -> [Event]? {
        let (events, waiters) = state.withLock { state -> ([Event]?, [RoomWaiters.Waiter]) in
            defer { state.waiting = [] }
            if state.waiting.isEmpty { state.isDraining = false }
            return (state.waiting.isEmpty ? nil : state.waiting, state.waiters.removeAll())
        }
        for waiter in waiters { waiter.resume() }
        return events
    }
}

extension EventQueue: OutputPace {
    /// How many events may wait before `waitForRoom()` suspends its caller.
    private static var room: Int { 64 }

    /// Waits, where the queue is full, until the receiver has begun with all that waits. There is no time limit.
    nonisolated(nonsending) func waitForRoom() async throws {
        guard isFull else { return }
        let id = state.withLock { $0.waiters.nextID() }
        defer { state.withLock { $0.waiters.forget(id) } }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { waiter in
                let waits = state.withLock { $0.isFull(Self.room) && $0.waiters.append(waiter, id) }
                if !waits { waiter.resume() }
            }
            try Task.checkCancellation()
        } onCancel: {
            state.withLock { $0.waiters.cancel(id) }?.resume()
        }
    }

    private var isFull: Bool { state.withLock { $0.isFull(Self.room) } }
}

/// The tasks that wait until a queue has room. Pure.
private struct RoomWaiters {
    typealias Waiter = CheckedContinuation<Void, any Error>

    private var waiters: [Int: Waiter] = [:]
    /// The ids that were cancelled before their tasks waited.
    private var cancelled: Set<Int> = []
    private var lastID = 0

    mutating func nextID() -> Int {
        lastID += 1
        return lastID
    }

    /// Adds a waiter. Returns false when its id was cancelled before.
    mutating func append(_ waiter: Waiter, _ id: Int) -> Bool {
        guard cancelled.remove(id) == nil else { return false }
        waiters[id] = waiter
        return true
    }

    mutating func cancel(_ id: Int) -> Waiter? {
        guard let waiter = waiters.removeValue(forKey: id) else {
            cancelled.insert(id)
            return nil
        }
        return waiter
    }

    /// Forgets an id that was cancelled, as its task no longer waits.
    mutating func forget(_ id: Int) {
        cancelled.remove(id)
    }

    mutating func removeAll() -> [Waiter] {
        defer { waiters = [:] }
        return Array(waiters.values)
    }
}
