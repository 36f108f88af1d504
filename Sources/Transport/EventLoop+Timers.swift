extension EventLoop {
    /// Runs `work` on the loop when `delay` has passed, never inline and never early, by the monotonic clock; late by less than
    /// a millisecond and what the loop is busy with. Any thread. What is still due when the loop ends is dropped.
    @discardableResult
    package func schedule(after delay: Duration, _ work: @escaping @Sendable () -> Void) -> LoopTimer {
        let timer = LoopTimer(deadline: MonotonicTime.now.advanced(by: delay), loop: self, work: work)
        if isCurrent {
            core.timers.insert(timer)
        } else {
            execute { self.core.timers.insert(timer) }
        }
        return timer
    }
}
