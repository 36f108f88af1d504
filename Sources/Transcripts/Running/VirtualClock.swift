import Synchronization

/// A clock that stands still until somebody moves it.
///
/// In a replay within one process, the other side uses such a clock, and `PlayTime` moves it: a line with `"at":180000` lets
/// three minutes pass in no time, and the times are the same in every run. Tests move such a clock by hand.
package final class VirtualClock: Clock {
    package struct Instant: InstantProtocol {
        /// The time since the clock was made.
        package let offset: Duration

        package func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        package func duration(to other: Instant) -> Duration { other.offset - offset }
        package static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    private struct Sleeper {
        let id: Int
        let deadline: Instant
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var now = Instant(offset: .zero)
        var lastID = 0
        var sleepers: [Sleeper] = []
        /// The ids of sleeps that were cancelled before they began.
        var cancelled: Set<Int> = []
        var hasEnded = false
        var onSleep: (@Sendable () -> Void)?

        /// Removes and returns the sleepers whose time has come, the earliest first.
        mutating func takeDue() -> [Sleeper] {
            let due = sleepers.filter { $0.deadline <= now }.sorted { $0.deadline < $1.deadline }
            sleepers.removeAll { $0.deadline <= now }
            return due
        }
    }

    private let state = Mutex(State())

    package init() {}

    package var now: Instant { state.withLock { $0.now } }

    package var minimumResolution: Duration { .nanoseconds(1) }

    /// The number of tasks that sleep.
    package var sleeperCount: Int { state.withLock { $0.sleepers.count } }

    /// The earliest time at which a sleeping task is due; nil if none sleeps.
    package var nextWake: Instant? { state.withLock { $0.sleepers.map(\.deadline).min() } }

    /// Sets the action that is called each time that a task begins to sleep, on that task's thread.
    package func onSleep(_ action: (@Sendable () -> Void)?) {
        state.withLock { $0.onSleep = action }
    }

    package func advance(by duration: Duration) {
        advance(to: now.advanced(by: duration))
    }

    /// Moves the clock forward, never back, and wakes the tasks whose time has come.
    package func advance(to instant: Instant) {
        let due = state.withLock { state in
            state.now = max(state.now, instant)
            return state.takeDue()
        }
        for sleeper in due { sleeper.continuation.resume() }
    }

    /// Moves the clock to the time of the first sleeper, unless that is later than `limit`, and wakes all tasks that are due
    /// then.
    ///
    /// - Returns: whether a task woke.
    package func wakeNext(upTo limit: Instant) -> Bool {
        let due = state.withLock { state in
            guard let first = state.sleepers.map(\.deadline).min(), first <= limit else { return [Sleeper]() }
            state.now = max(state.now, first)
            return state.takeDue()
        }
        for sleeper in due { sleeper.continuation.resume() }
        return !due.isEmpty
    }

    /// Ends the clock: every sleep fails with `CancellationError` from now on, also one that has begun.
    package func end() {
        let sleepers = state.withLock { state in
            state.hasEnded = true
            defer { state.sleepers = [] }
            return state.sleepers
        }
        for sleeper in sleepers { sleeper.continuation.resume(throwing: CancellationError()) }
    }

    /// Sleeps until the clock reaches `deadline`.
    ///
    /// - Throws: `CancellationError` if the task is cancelled or the clock has ended.
    package func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                add(Sleeper(id: id, deadline: deadline, continuation: continuation))
            }
        } onCancel: {
            cancel(id)
        }
    }

    private func add(_ sleeper: Sleeper) {
        enum Fate {
            case sleeps((@Sendable () -> Void)?)
            case isDue
            case isCancelled
        }
        let fate: Fate = state.withLock { state in
            if state.cancelled.remove(sleeper.id) != nil || state.hasEnded { return .isCancelled }
            if sleeper.deadline <= state.now { return .isDue }
            state.sleepers.append(sleeper)
            return .sleeps(state.onSleep)
        }
        switch fate {
        case .sleeps(let report): report?()
        case .isDue: sleeper.continuation.resume()
        case .isCancelled: sleeper.continuation.resume(throwing: CancellationError())
        }
    }

    private func cancel(_ id: Int) {
        let sleeper = state.withLock { state in
            guard let index = state.sleepers.firstIndex(where: { $0.id == id }) else {
                state.cancelled.insert(id)
                return nil as Sleeper?
            }
            return state.sleepers.remove(at: index)
        }
        sleeper?.continuation.resume(throwing: CancellationError())
    }
}

extension VirtualClock.Instant {
    /// Makes an instant of a transcript.
    ///
    /// - Parameter milliseconds: the value of a line's `at`.
    package init(milliseconds: Int) {
        self.init(offset: .milliseconds(milliseconds))
    }
}
