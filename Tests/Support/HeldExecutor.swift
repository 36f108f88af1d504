import Synchronization

/// The executor of an actor in whose isolation nothing runs before the test says so.
package final class HeldExecutor: SerialExecutor {
    /// Nil once it is open.
    private let held = Mutex<[UnownedJob]?>([])

    package init() {}

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let isOpen = held.withLock { held in
            held?.append(job)
            return held == nil
        }
        if isOpen { run(job) }
    }

    /// Runs what came so far, on this thread. What comes later runs on the thread that brings it.
    package func open() {
        let jobs = held.withLock { held in
            defer { held = nil }
            return held ?? []
        }
        for job in jobs { run(job) }
    }

    private func run(_ job: UnownedJob) { job.runSynchronously(on: asUnownedSerialExecutor()) }
}
