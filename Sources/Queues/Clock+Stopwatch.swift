extension Clock where Duration == Swift.Duration {
    /// Starts a stopwatch, which says how much time has passed by this clock since it was started.
    package func stopwatch() -> @Sendable () -> Duration {
        let start = now
        return { start.duration(to: now) }
    }
}
