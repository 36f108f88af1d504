/// Runs Swift jobs for executors that decide themselves where each of theirs runs.
package protocol JobRunner: AnyObject, Sendable {
    /// Queues `job`, which will see `source` as the executor that it runs on. Any thread.
    func run(_ job: UnownedJob, from source: any JobSource)

    /// Whether this thread runs a job or other work of it.
    var isRunner: Bool { get }

    /// Queues `job` with another runner, once the job of this one that the calling thread runs has ended, and with it the
    /// hold that its thread has on actors; at once on other threads.
    func pass(_ job: UnownedJob, from source: any JobSource, to other: any JobRunner)
}

extension JobRunner {
    package func pass(_ job: UnownedJob, from source: any JobSource, to other: any JobRunner) {
        other.run(job, from: source)
    }
}

/// An executor that has its jobs run by a `JobRunner`. A task keeps its executor, and so this, until it has ended.
package protocol JobSource: TaskExecutor {
    /// The work that runs now, for messages: "finder.query".
    var runningWork: String { get }

    /// What a program that watches over this process is to know where the work that runs now ends the process; nil for nothing.
    /// Any thread.
    var crashNote: [UInt8]? { get }

    /// Names those sources that share a bounded number of a pool's threads: all of them have the same group.
    var group: ObjectIdentifier { get }

    /// A job has held the thread of a loop for so long, and whatever else that thread had to do goes on in another one. Any
    /// thread.
    func willHoldLoop(_ work: String, for duration: Duration)

    /// A job has held a thread of a pool for so long. Any thread.
    func willHoldThread(_ work: String, for duration: Duration)

    /// That job, of a loop or a pool, hasn't ended a while later. At most once for a job, and as `didHoldThread`, before or
    /// behind it. Any thread.
    func stillHoldsThread()

    /// That job, of a loop or a pool, has ended. Any thread; on a loop's former thread it may come before the other call
    /// has returned.
    func didHoldThread()

    /// Runs a job that was queued with a runner elsewhere, where a job like it has held that runner's thread.
    ///
    /// - Returns: false where it runs there as it would have.
    func moves(_ job: UnownedJob) -> Bool

    /// Jobs of its group wait, since the group has all the threads that it may have, and no job of it has ended for a while.
    /// Any thread.
    func waits(forOneOf threads: Int)
}

extension JobSource {
    /// Nil.
    package var crashNote: [UInt8]? { nil }
}
