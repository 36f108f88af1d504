extension TaskExecutor {
    /// Does `work` on the executor once `delay` has passed by the clock, in the task that is returned, unless that is
    /// cancelled before. Any thread.
    ///
    /// The task inherits nothing from its caller: it may outlive a handler that it is started from.
    package func schedule(
        after delay: Duration, by clock: any Clock<Duration>, _ work: @escaping @Sendable () -> Void
    ) -> Task<Void, Never> {
        Task.detached(executorPreference: self) {
            guard (try? await clock.sleep(for: delay)) != nil, !Task.isCancelled else { return }
            work()
        }
    }
}
