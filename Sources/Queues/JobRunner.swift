/// Runs Swift jobs for executors that decide themselves where each of theirs runs.
package protocol JobRunner: AnyObject, Sendable {
    /// Queues `job`, which will see `source` as the executor that it runs on. Any thread.
    func run(_ job: UnownedJob, from source: any JobSource)

    /// As the other, behind all that other threads have left for the runner so far. Any thread.
    func runInOrder(_ job: UnownedJob, from source: any JobSource)

    /// Whether this thread runs a job or other work of it.
    var isRunner: Bool { get }
}

/// An executor that has its jobs run by a `JobRunner`. A task keeps its executor, and so this, until it has ended.
package protocol JobSource: TaskExecutor {
    /// The work that runs now, for messages: "finder.query".
    var runningWork: String { get }

    /// A job holds its thread, and whatever else that thread had to do goes on in another one. Any thread.
    func willHoldThread(_ work: String)

    /// Runs a job that was queued with a runner elsewhere, where a job like it has held that runner's thread.
    ///
    /// - Returns: false where it runs there as it would have.
    func moves(_ job: UnownedJob) -> Bool

    /// That job has returned. Any thread; may come before the other call has returned.
    func didHoldThread(_ work: String, for duration: Duration)
}
