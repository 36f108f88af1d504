import Queues
import Synchronization

/// The sessions that have ended while their view models have yet to stop: a handler that was cancelled hasn't returned, or
/// `stop()` hasn't. Each has the limit `drainGrace` for that, and is then given up.
///
/// Any thread may call it.
package final class EndingSessions: Sendable {
    private struct Entry {
        let session: Session
        /// The handler that ran when the session ended.
        let last: ViewEventJob?
        let deadline: Duration
    }

    private struct State {
        var entries: [ObjectIdentifier: Entry] = [:]
        /// The task that gives up on sessions. It wakes at the first deadline, or before.
        var timer: Task<Void, Never>?
        /// The number of threads that are giving up on sessions. Until the log has their lines, these sessions count as left.
        var givingUp = 0
        /// The actions to call, once each, when no session is left.
        var waiters: [@Sendable () -> Void] = []

        /// Takes the timer and the waiters, where no session is left.
        mutating func takeRest() -> Rest {
            guard entries.isEmpty, givingUp == 0 else { return Rest() }
            defer { (timer, waiters) = (nil, []) }
            return Rest(timer: timer, waiters: waiters)
        }
    }

    private struct Rest {
        var timer: Task<Void, Never>?
        var waiters: [@Sendable () -> Void] = []

        func settle() {
            timer?.cancel()
            for waiter in waiters { waiter() }
        }
    }

    private let state = Mutex(State())

    /// Adds a session that has ended. `finish(_:)` follows once its view model has stopped.
    func begin(_ session: Session, after last: ViewEventJob?) {
        let context = session.context
        let grace = session.limits.drainGrace
        let entry = Entry(session: session, last: last, deadline: context.elapsed() + grace)
        let isFirst = state.withLock { state in
            state.entries[ObjectIdentifier(session)] = entry
            return state.timer == nil
        }
        if isFirst { setTimer(grace, by: context) }
    }

    func finish(_ session: Session) {
        state.withLock { state in
            state.entries[ObjectIdentifier(session)] = nil
            return state.takeRest()
        }
        .settle()
    }

    /// Calls `action` once no session is left, on any thread.
    package func whenNone(_ action: @escaping @Sendable () -> Void) {
        state.withLock { state in
            state.waiters.append(action)
            return state.takeRest()
        }
        .settle()
    }

    private func setTimer(_ delay: Duration, by context: SessionContext) {
        let timer = context.executor.schedule(after: delay, by: context.clock) { [self] in giveUp(by: context) }
        let isNeeded = state.withLock { state in
            guard state.timer == nil, !state.entries.isEmpty else { return false }
            state.timer = timer
            return true
        }
        if !isNeeded { timer.cancel() }
    }

    private func giveUp(by context: SessionContext) {
        let now = context.elapsed()
        state.withLock { $0.timer = nil }
        giveUp { $0.deadline <= now }
        if let next = state.withLock({ $0.entries.values.map(\.deadline).min() }) {
            setTimer(next - now, by: context)
        }
    }

    /// Gives up on all sessions that are left.
    package func giveUp() {
        giveUp { _ in true }
    }

    private func giveUp(where isLate: (Entry) -> Bool) {
        let late = state.withLock { state in
            let late = state.entries.values.filter(isLate)
            for entry in late { state.entries[ObjectIdentifier(entry.session)] = nil }
            state.givingUp += 1
            return late
        }
        // Many sessions may be given up at once, for the same reason: the log has one line for each reason.
        var counts: [String: Int] = [:]
        for entry in late {
            let runner = LifeRunner(session: entry.session)
            counts[runner.abandonStop(after: entry.session.limits.drainGrace, last: entry.last), default: 0] += 1
        }
        let context = late.first?.session.context
        for (message, count) in counts { context?.warn(count == 1 ? message : "\(message) (\(count) sessions)") }
        state.withLock { state in
            state.givingUp -= 1
            return state.takeRest()
        }
        .settle()
    }
}
