import Synchronization

/// Sees whether the threads of Swift's own pool, on which `Task { }` and `Task.detached` run, are all held: whoever runs
/// the server is told, and nothing of the server's own runs there.
///
/// While the server works, and when its health is asked for, it puts a job there and looks when that begins. Any thread.
package final class PoolProbe: Sendable {
    private struct State {
        /// When the job was sent that hasn't begun.
        var sent: MonotonicTime?
        var next = MonotonicTime(nanoseconds: 0)
        var isReported = false
    }

    private static let interval = Duration.milliseconds(100)
    /// A busy machine's pool may take as long as this.
    private static let usualTime = Duration.milliseconds(200)

    private let reportedTime: Duration
    private let send: @Sendable (_ job: @escaping @Sendable () -> Void) -> Void
    private let report: @Sendable (String) -> Void
    private let state = Mutex(State())

    /// - Parameters:
    ///   - reportedTime: when no job has begun for so long, it is reported.
    ///   - send: puts a job into the pool.
    ///   - report: takes a message for the person who runs the server, on any thread.
    package init(
        reportedTime: Duration = .seconds(2),
        send: @escaping @Sendable (_ job: @escaping @Sendable () -> Void) -> Void = { job in Task.detached { job() } },
        report: @escaping @Sendable (String) -> Void
    ) {
        self.reportedTime = reportedTime
        self.send = send
        self.report = report
    }

    /// Puts a job into the pool unless there is one, or was one a moment ago.
    ///
    /// - Returns: whether one waits there, and it isn't reported yet.
    @discardableResult
    package func look() -> Bool {
        let now = MonotonicTime.now
        let (sends, waits, late) = state.withLock { state -> (Bool, Bool, Duration?) in
            guard let sent = state.sent else {
                guard state.next <= now else { return (false, false, nil) }
                state.sent = now
                return (true, true, nil)
            }
            let time = Duration.nanoseconds(now.nanoseconds - sent.nanoseconds)
            guard !state.isReported, time >= reportedTime else { return (false, !state.isReported, nil) }
            state.isReported = true
            return (false, false, time)
        }
        if sends { send { [self] in didBegin() } }
        if let late {
            report(
                """
                no task of Swift's own pool has begun for \(Self.milliseconds(late)) ms: tasks of view models, of Task { } or \
                Task.detached, hold all its threads without a suspension, and hold up all others there
                """)
        }
        return waits
    }

    /// The whole process stood still for that time, as one does that is stopped: the pool had no part in it.
    package func didStandStill(for time: Duration) {
        state.withLock { state in
            if !state.isReported { state.sent = state.sent?.advanced(by: time) }
        }
    }

    /// How long no job has begun there; zero where that is no longer than usual.
    package var heldTime: Duration {
        guard let sent = state.withLock({ $0.sent }) else { return .zero }
        let time = Duration.nanoseconds(MonotonicTime.now.nanoseconds - sent.nanoseconds)
        return time < Self.usualTime ? .zero : time
    }

    private func didBegin() {
        let now = MonotonicTime.now
        let held = state.withLock { state -> Duration? in
            defer { (state.sent, state.isReported, state.next) = (nil, false, now.advanced(by: Self.interval)) }
            guard state.isReported, let sent = state.sent else { return nil }
            return .nanoseconds(now.nanoseconds - sent.nanoseconds)
        }
        if let held { report("tasks of Swift's own pool begin again, after \(Self.milliseconds(held)) ms") }
    }

    private static func milliseconds(_ time: Duration) -> Int { Int(time / .milliseconds(1)) }
}
