import Queues
package import ViewModels

/// Everything that the sessions of one executor share.
package final class SessionContext: Sendable {
    let executor: any TaskExecutor
    /// The executor as a `JobRunner`; nil where it isn't one.
    let home: (any JobRunner)?
    /// The threads on which handlers go on after a suspension; nil where that is on `executor`, too.
    let threads: HandlerThreads?
    let limits: SharedLimits
    let clock: any Clock<Duration>
    /// The clock's time since this was made.
    let elapsed: @Sendable () -> Duration
    let turn: @Sendable () -> UInt64
    let onEnd: @Sendable (Session) -> Void
    let onAbandon: @Sendable (Session) -> Void
    let onTake: @Sendable () -> Void
    let warn: @Sendable (String) -> Void
    /// The least important messages of view models that are written.
    let logLevel: @Sendable () -> Log.Level
    let log: @Sendable (Log.Level, String, Session) -> Void
    let onExceed: @Sendable (String) -> Void
    /// Connects sessions with shared ones; nil where none are shared.
    let sharing: (any SharedSessions)?
    package let ending = EndingSessions()
    let resumeTimers: ResumeTimers

    /// - Parameters:
    ///   - executor: where handlers begin.
    ///   - threads: where handlers go on after a suspension, if `executor` is a `JobRunner`; nil where that is on `executor`,
    ///     too.
    ///   - clock: measures how long a session without views is kept.
    ///   - turn: names the uninterrupted stretch of work that the calling thread is in; 0 where it can't be known.
    ///   - onEnd: called once for each session, on any thread.
    ///   - onAbandon: called when a session is left without views, on any thread and with no lock held.
    ///   - onTake: called when a session has taken view events of one more MiB, or is refused one since its owner holds too
    ///     much, on any thread and with no lock held.
    ///   - warn: takes a message for the person who runs the server, on any thread.
    ///   - logLevel: returns the least important messages of view models that are written.
    ///   - log: takes a message that a session's view model writes, in the task that writes it.
    ///   - onExceed: called with the name of a limit that a view model exceeded, behind the message about it, on any thread.
    ///   - sharing: connects sessions with shared ones.
    package init(
        executor: any TaskExecutor,
        threads: HandlerThreads? = nil,
        limits: SharedLimits,
        clock: any Clock<Duration> = ContinuousClock(),
        turn: @escaping @Sendable () -> UInt64 = { 0 },
        onEnd: @escaping @Sendable (Session) -> Void = { _ in },
        onAbandon: @escaping @Sendable (Session) -> Void = { _ in },
        onTake: @escaping @Sendable () -> Void = {},
        warn: @escaping @Sendable (String) -> Void = { _ in },
        logLevel: @escaping @Sendable () -> Log.Level = { .error },
        log: @escaping @Sendable (Log.Level, String, Session) -> Void = { _, _, _ in },
        onExceed: @escaping @Sendable (String) -> Void = { _ in },
        sharing: (any SharedSessions)? = nil
    ) {
        self.executor = executor
        home = executor as? any JobRunner
        self.threads = threads
        self.limits = limits
        self.clock = clock
        elapsed = clock.stopwatch()
        resumeTimers = ResumeTimers(executor: executor, clock: clock, elapsed: elapsed)
        self.turn = turn
        self.onEnd = onEnd
        self.onAbandon = onAbandon
        self.onTake = onTake
        self.warn = warn
        self.logLevel = logLevel
        self.log = log
        self.onExceed = onExceed
        self.sharing = sharing
    }
}
