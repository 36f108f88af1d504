/// Everything that the sessions of one executor share.
package final class SessionContext: Sendable {
    let executor: any TaskExecutor
    let limits: SharedLimits
    private let clock: any Clock<Duration>
    /// The clock's time since this was made.
    let elapsed: @Sendable () -> Duration
    let turn: @Sendable () -> UInt64
    let onEnd: @Sendable (Session) -> Void

    /// - Parameters:
    ///   - executor: where handlers run.
    ///   - clock: measures how long a session without views is kept.
    ///   - turn: names the uninterrupted stretch of work that the calling thread is in; 0 where it can't be known.
    ///   - onEnd: called once for each session, on any thread.
    package init(
        executor: any TaskExecutor,
        limits: SharedLimits,
        clock: any Clock<Duration> = ContinuousClock(),
        turn: @escaping @Sendable () -> UInt64 = { 0 },
        onEnd: @escaping @Sendable (Session) -> Void = { _ in }
    ) {
        self.executor = executor
        self.limits = limits
        self.clock = clock
        elapsed = Self.stopwatch(by: clock)
        self.turn = turn
        self.onEnd = onEnd
    }

    private static func stopwatch<C: Clock>(by clock: C) -> @Sendable () -> Duration where C.Duration == Duration {
        let start = clock.now
        return { start.duration(to: clock.now) }
    }

    /// Does `work` on the executor after a time of the clock, in the task that is returned, unless that is
    /// cancelled before.
    func schedule(after delay: Duration, _ work: @escaping @Sendable () -> Void) -> Task<Void, Never> {
        // Detached: it outlives the handler that it may be started from.
        Task.detached(executorPreference: executor) { [clock] in
            do {
                try await clock.sleep(for: delay)
            } catch {
                return
            }
            work()
        }
    }
}
