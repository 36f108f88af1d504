extension EventLoop {
    /// Called by the Swift runtime, from any thread. On the loop itself neither a lock nor a wake.
    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        if isCurrent {
            core.append(.job(job))
        } else {
            mailbox.post(.job(job))
        }
    }

    package func asUnownedTaskExecutor() -> UnownedTaskExecutor {
        UnownedTaskExecutor(ordinary: self)
    }
}
