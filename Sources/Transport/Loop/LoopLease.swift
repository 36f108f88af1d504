import LibC
import Synchronization

/// The right to use a loop's core while a Swift job runs on the loop's thread.
///
/// The job is somebody else's code and may hold the thread for long, so the loop is lent to it: as long as the job runs,
/// nobody uses the core. Now and then the job's own thread comes back into the loop, to queue work or to tell a connection of
/// an event, and takes the loop for that moment (`enter`). When the job returns, the thread takes the loop again (`runLent`).
/// Meanwhile another thread may take the loop for good (`take`, by `HoldWatch`); the job's thread has then lost the loop and
/// only runs the job. Each of these is one atomic exchange, so exactly one thread wins.
final class LoopLease: Sendable {
    /// The number of the job that the loop is lent to; 0 while the loop's thread has it.
    private let borrower = Atomic<UInt64>(0)
    /// The kernel's ID of the loop's thread.
    let thread = Atomic<Int32>(0)

    /// The number of the job that the loop is lent to now; 0 for none.
    var job: UInt64 { borrower.load(ordering: .acquiring) }

    /// Lends the loop to a job. Called by the thread that has the loop. Numbers of jobs aren't used again.
    ///
    /// Sequentially consistent, as is the reading by `HoldWatch`: either the watch sees the job, or the thread sees that the
    /// watch sleeps.
    func lend(to job: UInt64) {
        _ = borrower.exchange(job, ordering: .sequentiallyConsistent)
    }

    /// Takes the loop back from a job. Returns whether it was still lent to this job, and so is the caller's now.
    func take(from job: UInt64) -> Bool {
        borrower.compareExchange(expected: job, desired: 0, ordering: .acquiringAndReleasing).exchanged
    }
}

/// How long a thread has run and waited so far. See `clinux_thread_times`.
package struct ThreadTimes {
    package enum Activity: Int32 {
        /// The thread runs, or waits for a processor.
        case running
        case waitingInCall
        /// The thread waits for a lock, or for a page of memory from a disk.
        case stalled
    }

    let ran: UInt64
    let waited: UInt64
    package let activity: Activity
    package let now = MonotonicTime.now

    package init(of thread: Int32) {
        var (ran, waited): (UInt64, UInt64) = (0, 0)
        activity = Activity(rawValue: clinux_thread_times(thread, &ran, &waited)) ?? .waitingInCall
        (self.ran, self.waited) = (ran, waited)
    }

    /// Returns the nanoseconds since `start` in which the thread ran, or waited in a call. Time without a processor on a busy
    /// machine doesn't count.
    package func held(since start: ThreadTimes) -> Int64 {
        let time = now.nanoseconds - start.now.nanoseconds - Int64(clamping: waited &- start.waited)
        return switch activity {
        // The thread may wait for a processor now, which the kernel counts only once the thread has got one.
        case .running where ran > 0: Int64(clamping: ran &- start.ran)
        case .running, .waitingInCall: time
        // The thread that has the lock may be without a processor, and where many wait for the lock, each needs a processor
        // in turn. Code that runs for the first time waits for its pages. So this time counts for less, but does count: the
        // lock may belong to a view model that waits in a call.
        case .stalled: time / 4
        }
    }
}

/// How long a job has held its thread: a sum over looks at the thread, each of which decides how the time since the last look
/// counts.
struct HeldTime {
    /// The time of the first look.
    let start: MonotonicTime
    private(set) var nanoseconds: Int64 = 0
    private(set) var last: ThreadTimes

    init(of thread: Int32) {
        last = ThreadTimes(of: thread)
        start = last.now
    }

    mutating func look(at thread: Int32) {
        let times = ThreadTimes(of: thread)
        nanoseconds += max(0, times.held(since: last))
        last = times
    }
}

extension EventLoop {
    private var identity: UnsafeRawPointer { UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque()) }

    /// The way in which a thread got to use the loop.
    package enum Entry {
        /// The thread isn't the loop's, and may not use it.
        case none
        /// The thread has the loop.
        case own
        /// The thread runs the job that the loop is lent to, and has taken the loop back for a moment.
        case taken
    }

    /// Takes the loop where this is its thread, even in a job. Each `enter` must be followed by `leave`.
    package func enter() -> Entry {
        if isCurrent { return .own }
        guard clinux_lent_loop() == identity, lease.take(from: clinux_lent_job()) else { return .none }
        clinux_set_current_loop(identity)
        return .taken
    }

    package func leave(_ entry: Entry) {
        guard case .taken = entry else { return }
        clinux_set_current_loop(nil)
        lease.lend(to: clinux_lent_job())
    }

    /// Runs `body` where this is the loop's thread, even in a job; returns nil on another thread.
    func ifCurrent<R>(_ body: () -> R) -> R? {
        let entry = enter()
        if case .none = entry { return nil }
        defer { leave(entry) }
        return body()
    }

    /// Runs a job on the loop's thread, with the loop lent to the job.
    ///
    /// - Returns: whether this thread still has the loop.
    func runLent(_ job: UnownedJob, _ number: UInt64, on executor: UnownedTaskExecutor, _ watch: HoldWatch) -> Bool {
        clinux_set_current_loop(nil)
        clinux_set_lent_loop(identity, number)
        lease.lend(to: number)
        watch.wakeIfAsleep()
        job.runSynchronously(on: executor)
        clinux_set_lent_loop(nil, 0)
        guard lease.take(from: number) else {
            watch.didReturn(number, self)
            return false
        }
        clinux_set_current_loop(identity)
        return true
    }
}
