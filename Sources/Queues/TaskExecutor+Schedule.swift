extension TaskExecutor {
    /// Does `work` on the executor once `delay` has passed by the clock, in the task that is returned, unless that is
    /// cancelled before. Any thread.
    ///
    /// The task inherits nothing from its caller: it may outlive a handler that it is started from. Once cancelled it
    /// is over, and its memory free, at once where the executor has timers, and else when the clock lets it go.
    package func schedule(
        after delay: Duration, by clock: any Clock<Duration>, _ work: @escaping @Sendable () -> Void
    ) -> Task<Void, Never> {
        Task.detached(executorPreference: self) {
            guard (try? await self.sleep(for: delay, by: clock)) != nil, !Task.isCancelled else { return }
            work()
        }
    }

    /// Suspends the calling task until `duration` has passed by the clock, or it is cancelled.
    ///
    /// The continuous clock is served by the executor's own timers, where it has some: the runtime would keep the task of a
    /// cancelled sleep until its deadline. With a resume window of minutes, these would be thousands of tasks of sessions long
    /// gone.
    package func sleep(for duration: Duration, by clock: any Clock<Duration>) async throws {
        guard clock is ContinuousClock, let timers = self as? any TimerExecutor else {
            return try await clock.sleep(for: duration)
        }
        try await timers.sleep(for: duration)
    }
}

/// An executor with timers of its own.
package protocol TimerExecutor: TaskExecutor {
    /// Suspends the calling task until `duration` has passed.
    ///
    /// - Throws: `CancellationError`, at once, when the task is cancelled or the executor ends before. Nothing is kept then.
    func sleep(for duration: Duration) async throws(CancellationError)
}
