import Synchronization

/// Detects when all threads of Swift's own pool, on which `Task { }` and `Task.detached` run, are held. The person who runs
/// the server is told; none of the server's own work runs in that pool.
///
/// While the server works, and when its health is asked for, the probe puts a job into the pool, and checks when the job
/// begins. Any thread may use it.
package final class PoolProbe: Sendable {
    private struct State {
        /// The time when the job was sent that hasn't begun yet; nil for none.
        var sent: MonotonicTime?
        var next = MonotonicTime(nanoseconds: 0)
        var isReported = false
    }

    private static let interval = Duration.milliseconds(100)
    /// The time that the pool of a busy machine may usually take to begin a job.
    private static let usualTime = Duration.milliseconds(200)

    private let reportedTime: Duration
    private let send: @Sendable (_ job: @escaping @Sendable () -> Void) -> Void
    private let report: @Sendable (String) -> Void
    private let state = Mutex(State())

    /// - Parameters:
    ///   - reportedTime: how long no job has begun before that is reported.
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

    /// Puts a job into the pool, unless one waits there or began a moment ago. Reports a job that has waited for
    /// `reportedTime`.
    ///
    /// - Returns: whether a job waits there and isn't reported yet.
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

    /// Notes that the whole process stood still for a time, as when it is stopped. That time isn't counted against the pool.
    package func didStandStill(for time: Duration) {
        state.withLock { state in
            if !state.isReported { state.sent = state.sent?.advanced(by: time) }
        }
    }

    /// How long no job has begun in the pool; zero where that isn't longer than usual.
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
