/// A runner of Swift jobs, for executors that decide for each job where it runs.
package protocol JobRunner: AnyObject, Sendable {
    /// Queues `job`, which will see `source` as the executor that it runs on. Any thread.
    func run(_ job: UnownedJob, from source: any JobSource)

    /// Whether the calling thread runs a job or other work of this runner.
    var isRunner: Bool { get }

    /// Queues `job` with another runner. Where the calling thread runs a job of this runner, that is done after this job has
    /// ended and its thread has let go of its actors; on other threads it is done at once.
    func pass(_ job: UnownedJob, from source: any JobSource, to other: any JobRunner)
}

extension JobRunner {
    package func pass(_ job: UnownedJob, from source: any JobSource, to other: any JobRunner) {
        other.run(job, from: source)
    }
}

/// An executor that has its jobs run by a `JobRunner`. A task keeps its executor, and so this object, until the task has ended.
package protocol JobSource: TaskExecutor {
    /// The name of the work that runs now, for messages: "finder.query".
    var runningWork: String { get }

    /// A note for the program that watches over this process, should the work that runs now end the process; nil for none. Any
    /// thread may read it.
    var crashNote: [UInt8]? { get }

    /// The group of this source. The sources of a group share a bounded number of a pool's threads.
    var group: ObjectIdentifier { get }

    /// Called when a job has held a loop's thread for `duration`. Whatever else that thread had to do goes on in another one.
    /// Any thread.
    func willHoldLoop(_ work: String, for duration: Duration)

    /// Called when a job has held a thread of a pool for `duration`. Any thread.
    func willHoldThread(_ work: String, for duration: Duration)

    /// Called when such a job, of a loop or a pool, hasn't ended a while later: at most once for a job, and before or after
    /// `didHoldThread`. Any thread.
    func stillHoldsThread()

    /// Called when such a job, of a loop or a pool, has ended. Any thread; on a loop's former thread this may come before
    /// `willHoldLoop` has returned.
    func didHoldThread()

    /// Moves a job that was queued with a runner to another one, where a job like it has held the first runner's thread.
    ///
    /// - Returns: false where the job isn't moved, and runs where it was queued.
    func moves(_ job: UnownedJob) -> Bool

    /// Called when jobs of the group wait, since it has all the `threads` that it may have, and no job of it has ended for a
    /// while. Any thread.
    func waits(forOneOf threads: Int)
}

extension JobSource {
    /// No note.
    package var crashNote: [UInt8]? { nil }
}
