import LibC
import Synchronization

/// Says which thread may use a loop's core while a Swift job runs on the loop's thread.
///
/// The job is somebody else's code and may hold the thread for long, so the loop is lent to it: as long as the job
/// runs, nobody uses the core. Now and then the job's own thread comes back into the loop, to queue work or to tell a
/// connection of an event: it takes the loop for that moment (`enter`). When the job returns, the thread takes the loop
/// again (`reclaim`). In between another thread may take it for good (`take`, by `HoldWatch`); then the job's thread
/// has lost it and is only the job's. Each of these is one exchange of an atomic, so exactly one thread wins.
final class LoopLease: Sendable {
    /// The number of the job that the loop is lent to; 0: its thread has it.
    private let borrower = Atomic<UInt64>(0)
    /// The kernel's number of the loop's thread.
    let thread = Atomic<Int32>(0)

    /// The job that the loop is lent to now; 0: none.
    var job: UInt64 { borrower.load(ordering: .acquiring) }

    /// The thread that has the loop lends it to its job. Numbers aren't used again.
    ///
    /// Sequentially consistent, with the reading of `HoldWatch`: either the watch sees the job, or the thread sees that
    /// the watch sleeps.
    func lend(to job: UInt64) {
        _ = borrower.exchange(job, ordering: .sequentiallyConsistent)
    }

    /// Returns whether the loop was still lent to this job, and is the caller's now.
    func take(from job: UInt64) -> Bool {
        borrower.compareExchange(expected: job, desired: 0, ordering: .acquiringAndReleasing).exchanged
    }
}

/// How long a thread ran and waited until now. See `clinux_thread_times`.
package struct ThreadTimes {
    package enum Activity: Int32 {
        /// It runs, or waits for a processor.
        case running
        case waitingInCall
        /// It waits for a lock, or for a page of memory that comes from a disk.
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

    /// The nanoseconds since `start` in which the thread did something, or waited in a call. Where it had no processor
    /// on a busy machine is nobody's fault.
    package func held(since start: ThreadTimes) -> Int64 {
        let time = now.nanoseconds - start.now.nanoseconds - Int64(clamping: waited &- start.waited)
        return switch activity {
        // It may wait for a processor now, which the kernel counts only when it has got one.
        case .running where ran > 0: Int64(clamping: ran &- start.ran)
        case .running, .waitingInCall: time
        // Who has the lock may have no processor, and where many wait for it each of them needs one in its turn. A page
        // is waited for wherever code runs first. So this time counts for less, and not for nothing: the lock may be a
        // view model's that waits in a call.
        case .stalled: time / 4
        }
    }
}

/// How long a job has held its thread, summed up by looks at the thread, each of which says how the time since the last
/// one counts.
struct HeldTime {
    /// The first look's time.
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

    /// How a thread came to use the loop.
    package enum Entry {
        /// It is another thread, which may not.
        case none
        /// The loop is its own.
        case own
        /// It runs a job that the loop is lent to, and has taken it back for a moment.
        case taken
    }

    /// Takes the loop where this is its thread, in a job too. Each `enter` has its `leave`.
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

    /// Runs `body` as the loop's thread, in a job that it runs too; nil where this is another thread.
    func ifCurrent<R>(_ body: () -> R) -> R? {
        let entry = enter()
        if case .none = entry { return nil }
        defer { leave(entry) }
        return body()
    }

    /// Runs a job on the loop's thread, which gives the loop up to nobody, or to another thread.
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
