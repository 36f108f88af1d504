import Synchronization

/// Runs jobs when the test says so, on the test's thread, and counts them.
final class StepExecutor: TaskExecutor {
    private let jobs = Mutex<[UnownedJob]>([])

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.withLock { $0.append(job) }
    }

    /// Runs what is queued and what that queues. Returns how many jobs it were.
    @discardableResult
    func run(atMost limit: Int = .max) -> Int {
        var count = 0
        while count < limit, let job = jobs.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) {
            count += 1
            job.runSynchronously(on: asUnownedTaskExecutor())
        }
        return count
    }
}
