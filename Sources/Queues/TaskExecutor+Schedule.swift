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
    /// The runtime keeps the task of a sleep that was cancelled until the deadline: with a resume window of minutes,
    /// thousands of them for sessions that are long gone.
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
    /// - Throws: when the task is cancelled, or the executor ends, before. At once, and nothing is kept.
    func sleep(for duration: Duration) async throws(CancellationError)
}
