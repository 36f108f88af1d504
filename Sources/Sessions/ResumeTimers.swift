import Queues
import Synchronization

/// The timers of all sessions of an executor that are without views.
///
/// There may be tens of thousands of such sessions, so they share one task, which sleeps until the first is due. Any thread may
/// call it.
final class ResumeTimers: Sendable {
    typealias ID = UInt64

    /// How many sessions are handled before the task yields to other work of the executor.
    private static let stretch = 8

    fileprivate struct Due {
        let deadline: Duration
        let id: ID
    }

    fileprivate struct Entry {
        weak var session: Session?
    }

    fileprivate struct State {
        var entries: [ID: Entry] = [:]
        /// The timers, as a binary heap by deadline. Cancelled ones are dropped when they are due, or when they outnumber the
        /// others.
        var order: [Due] = []
        var lastID: ID = 0
        var task: Task<Void, Never>?
        /// When the task wakes; nil while it handles what is due.
        var wake: Duration?
        /// The number of the task, which rises with each new one.
        var generation = 0
    }

    private let executor: any TaskExecutor
    private let clock: any Clock<Duration>
    private let elapsed: @Sendable () -> Duration
    private let state = Mutex(State())

    /// - Parameter elapsed: the clock's time since some fixed point.
    init(executor: any TaskExecutor, clock: any Clock<Duration>, elapsed: @escaping @Sendable () -> Duration) {
        (self.executor, self.clock, self.elapsed) = (executor, clock, elapsed)
    }

    /// Sets a timer that ends the session's resume window when `delay` has passed.
    func set(_ session: Session, after delay: Duration) -> ID {
        let deadline = elapsed() + delay
        return state.withLock { state in
            state.lastID += 1
            state.entries[state.lastID] = Entry(session: session)
            state.add(Due(deadline: deadline, id: state.lastID))
            if state.task == nil || state.wake.map({ deadline < $0 }) ?? false { start(&state) }
            return state.lastID
        }
    }

    func cancel(_ id: ID) {
        let task = state.withLock { state -> Task<Void, Never>? in
            state.entries[id] = nil
            guard state.entries.isEmpty else {
                if state.order.count > 2 * state.entries.count + 64 { state.dropCancelled() }
                return nil
            }
            state.order = []
            defer { state.task = nil }
            return state.task
        }
        task?.cancel()
    }

    /// Replaces the task by one that wakes at the new first deadline.
    private func start(_ state: inout State) {
        state.task?.cancel()
        state.generation += 1
        state.wake = state.order.first?.deadline
        let generation = state.generation
        state.task = Task.detached(executorPreference: executor) { [self] in await run(generation) }
    }

    private func run(_ generation: Int) async {
        while let wake = state.withLock({ $0.nextWake(generation) }) {
            let delay = wake - elapsed()
            if delay > .zero, (try? await executor.sleep(for: delay, by: clock)) == nil { return }
            var count = 0
            while let (id, session) = state.withLock({ $0.takeDue(generation, at: elapsed()) }) {
                if let session { ResumeWindow(session: session).end(id) }
                count += 1
                if count.isMultiple(of: Self.stretch) { await Task.yield() }
            }
        }
    }
}

extension ResumeTimers.State {
    /// Returns when the task wakes next; nil where the task isn't needed any more.
    fileprivate mutating func nextWake(_ generation: Int) -> Duration? {
        guard generation == self.generation, task != nil else { return nil }
        wake = order.first?.deadline
        if wake == nil { task = nil }
        return wake
    }

    /// Takes the first timer that is due; nil where none is. Its session is nil where that is gone.
    fileprivate mutating func takeDue(_ generation: Int, at now: Duration) -> (ResumeTimers.ID, Session?)? {
        guard generation == self.generation else { return nil }
        wake = nil
        while let first = order.first, first.deadline <= now {
            removeFirst()
            if let entry = entries.removeValue(forKey: first.id) { return (first.id, entry.session) }
        }
        return nil
    }

    fileprivate mutating func add(_ due: ResumeTimers.Due) {
        order.append(due)
        var place = order.count - 1
        while place > 0, order[place].deadline < order[(place - 1) / 2].deadline {
            order.swapAt(place, (place - 1) / 2)
            place = (place - 1) / 2
        }
    }

    private mutating func removeFirst() {
        order.swapAt(0, order.count - 1)
        order.removeLast()
        var place = 0
        while true {
            var least = place
            for child in [2 * place + 1, 2 * place + 2]
            where child < order.count && order[child].deadline < order[least].deadline { least = child }
            if least == place { return }
            order.swapAt(place, least)
            place = least
        }
    }

    fileprivate mutating func dropCancelled() {
        // A sorted array is a heap.
        order = order.filter { entries[$0.id] != nil }.sorted { $0.deadline < $1.deadline }
    }
}
