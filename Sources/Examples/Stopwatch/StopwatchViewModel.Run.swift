extension StopwatchViewModel {
    /// The time from a start on, by a clock of any kind, with a tick each tenth of a second.
    struct Run: Sendable {
        /// Since the start.
        let elapsed: @Sendable () -> Duration
        /// Returns at the tick after this one, at once where that is past, and says which it was; throws when cancelled.
        /// Of many that are past, as after a machine was asleep, it passes over most.
        let tick: @Sendable (_ last: Int) async throws -> Int

        init(by clock: any Clock<Duration>) {
            self.init(startedNowBy: clock)
        }

        private init<C: Clock>(startedNowBy clock: C) where C.Duration == Duration {
            let start = clock.now
            let interval = Duration.milliseconds(100)
            elapsed = { start.duration(to: clock.now) }
            tick = { last in
                let next = max(last + 1, Int(start.duration(to: clock.now) / interval) - 9)
                try await clock.sleep(until: start.advanced(by: interval * next), tolerance: nil)
                return next
            }
        }
    }
}
