import LibC
package import Queues
import Synchronization

/// Threads that run Swift jobs, as many as are needed so that no job waits for long. A job may block its thread. That
/// distinguishes the pool from Swift's own, which has only as many threads as there are processors.
///
/// Up to the number of processors, a job that finds no idle thread gets a new one. Beyond that, the number of threads at most
/// doubles each time that `HoldWatch` finds three things: jobs wait, none has begun or ended since its last look, and all
/// threads are held. More threads wouldn't help jobs that wait for a processor. Idle threads end after a while.
///
/// The number of threads is bounded for each group of sources, such as all sessions of one view model. Jobs of a group that
/// holds all its threads wait; those of other groups don't.
package final class WorkerPool: JobRunner {
    final class Shared: Sendable {
        let state = Mutex(PoolState())
        let ready = Semaphore()
        let groupThreads: Int

        init(groupThreads: Int) { self.groupThreads = groupThreads }
    }

    static let idleTime = Duration.seconds(10)
    private let shared: Shared
    package let watch: HoldWatch
    private let usualThreads: Int

    /// - Parameters:
    ///   - groupThreads: the number of jobs of one group that may hold threads before the group's further jobs wait. At least
    ///     1.
    ///   - watch: notices when threads are held.
    package init(groupThreads: Int, watch: HoldWatch) {
        shared = Shared(groupThreads: max(1, groupThreads))
        self.watch = watch
        usualThreads = max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
        watch.add(shared)
    }

    deinit {
        // The pool's threads end once they are idle, and nothing can be queued any more.
        watch.remove(shared)
    }

    package var isRunner: Bool { clinux_lent_loop() == shared.identity }

    package func pass(_ job: UnownedJob, from source: any JobSource, to other: any JobRunner) {
        guard isRunner else { return other.run(job, from: source) }
        let passed = PoolState.Passed(job: PoolState.Job(job: job, source: source), runner: other)
        shared.state.withLock { $0.pass(passed, after: Int(clinux_lent_job())) }
    }

    package func run(_ job: UnownedJob, from source: any JobSource) {
        let (isIdleThreadThere, isThreadNeeded) = shared.state.withLock { state in
            guard state.queue(PoolState.Job(job: job, source: source), shared.groupThreads) else {
                return (false, false)
            }
            if state.idle > 0 {
                state.idle -= 1
                return (true, false)
            }
            guard state.threads < usualThreads else { return (false, false) }
            state.threads += 1
            return (false, true)
        }
        if isIdleThreadThere { shared.ready.post() }
        if isThreadNeeded { shared.startThread() }
        watch.wakeIfAsleep()
    }
}

extension WorkerPool.Shared {
    /// Adds threads where jobs wait though none has begun or ended since the last call. It adds as many as there are, so that
    /// many jobs that block at once soon delay nobody, but no more than jobs that wait. Reports the jobs that have held a
    /// thread for `maximumHold`, and those that still do after `reportedHold`.
    ///
    /// - Returns: whether jobs wait or run.
    func look(_ maximumHold: Duration, _ reportedHold: Duration) -> Bool {
        let (isBusy, needed, waiting) = state.withLock { state in
            state.noteHolds(maximumHold, reportedHold)
            let isBusy = state.threads > state.idle
            defer { state.progressSeen = state.progress }
            guard state.progress == state.progressSeen else { return (isBusy, 0, [any JobSource]()) }
            let waiting = state.groupsWaiting(forOneOf: groupThreads)
            guard state.idle == 0, !state.ready.isEmpty, state.areAllHeld() else {
                return (isBusy, 0, waiting)
            }
            let needed = min(state.ready.count, max(1, state.threads))
            state.threads += needed
            return (isBusy, needed, waiting)
        }
        for _ in 0..<needed { startThread() }
        for source in waiting { source.waits(forOneOf: groupThreads) }
        return isBusy || needed > 0
    }

    /// Starts a thread that is counted already.
    func startThread() {
        do throws(SystemError) {
            try Thread.start("handlers") { [self] in runJobs() }
        } catch {
            // The system can't create a thread now: the jobs wait for another thread, or for the next look.
            state.withLock { $0.threads -= 1 }
        }
    }

    private func runJobs() {
        let thread = clinux_thread_id()
        while let (number, next) = next(thread) {
            clinux_set_lent_loop(identity, UInt64(number))
            next.job.runSynchronously(on: next.source.asUnownedTaskExecutor())
            clinux_set_lent_loop(nil, 0)
            guard let ended = state.withLock({ $0.end(number) }) else { continue }
            for passed in ended.passed { passed.runner.run(passed.job.job, from: passed.job.source) }
            if ended.isHeld { next.source.didHoldThread() }
        }
    }

    /// Distinguishes the job numbers of this pool's threads from those of a loop.
    var identity: UnsafeRawPointer { UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque()) }

    /// The jobs that run now.
    var running: [PoolState.Running] { state.withLock { Array($0.running.values) } }

    /// Waits for a job. Returns nil when none has come within `idleTime`, so that the thread ends.
    private func next(_ thread: Int32) -> (number: Int, PoolState.Job)? {
        while true {
            if let next = state.withLock({ $0.begin(on: thread) }) { return next }
            guard !ready.wait(atMost: WorkerPool.idleTime) else { continue }
            let ends = state.withLock { state in
                // Whoever has queued a job counts on this thread, and is about to post.
                guard state.idle > 0 else { return false }
                state.idle -= 1
                state.threads -= 1
                return true
            }
            if ends { return nil }
            ready.wait()
        }
    }
}

/// The jobs and threads of a pool. A value without side effects.
struct PoolState {
    struct Job {
        let job: UnownedJob
        let source: any JobSource
    }

    struct Running {
        let source: any JobSource
        let since: MonotonicTime
        /// The kernel's ID of the thread.
        let thread: Int32
        /// How long the job has held its thread; nil until the first look at it.
        fileprivate var held: HeldTime?
        /// Whether the job's source was told that the job holds its thread.
        var isHeld = false
        /// Whether the job's source was told that the job still holds its thread.
        fileprivate var isReported = false
        /// Jobs for other runners, to be run after this one. There are several where the job let handlers of several loops go
        /// on, as an actor's job does for which they all wait.
        fileprivate(set) var passed: [Passed] = []
    }

    /// A job to be run by another runner.
    struct Passed {
        let job: Job
        let runner: any JobRunner
    }

    private struct Group {
        /// The number of jobs that run or can be begun.
        var count = 0
        var waiting = Deque<Job>()
    }

    /// The jobs that can be begun, in order.
    private(set) var ready = Deque<Job>()
    private var groups: [ObjectIdentifier: Group] = [:]
    var threads = 0
    /// The number of threads that wait for a job.
    var idle = 0
    /// The number of times that a job has begun or ended.
    private(set) var progress = 0
    var progressSeen = -1
    /// The jobs that run, by their numbers.
    private(set) var running: [Int: Running] = [:]
    private var lastJob = 0

    /// Queues a job. Returns whether the job can be begun now; otherwise it waits until another one of its group has ended.
    mutating func queue(_ job: Job, _ groupThreads: Int) -> Bool {
        let group = job.source.group
        guard groups[group, default: Group()].count < groupThreads else {
            groups[group]?.waiting.append(job)
            return false
        }
        groups[group, default: Group()].count += 1
        ready.append(job)
        return true
    }

    /// Takes the next job for a thread. Where there is none, the thread is idle from now on, and nil is returned.
    mutating func begin(on thread: Int32) -> (number: Int, Job)? {
        guard let next = ready.popFirst() else {
            idle += 1
            return nil
        }
        progress &+= 1
        lastJob &+= 1
        running[lastJob] = Running(source: next.source, since: .now, thread: thread)
        return (lastJob, next)
    }

    /// Ends a job, and returns it. A job that waits for this one's group can be begun now, and the calling thread begins one
    /// next.
    mutating func end(_ number: Int) -> Running? {
        progress &+= 1
        guard let ended = running.removeValue(forKey: number) else { return nil }
        let group = ended.source.group
        if let next = groups[group]?.waiting.popFirst() {
            ready.append(next)
        } else {
            groups[group]?.count -= 1
            if groups[group]?.count == 0 { groups[group] = nil }
        }
        return ended
    }

    mutating func pass(_ passed: Passed, after number: Int) {
        running[number]?.passed.append(passed)
    }

    /// Tells the sources of jobs that hold their threads, with the lock held, so that a source is told before its job has
    /// ended. Called at each look.
    mutating func noteHolds(_ maximumHold: Duration, _ reportedHold: Duration) {
        for (number, job) in running where !job.isReported {
            if job.isHeld {
                guard job.since.nanoseconds <= MonotonicTime.now.nanoseconds - reportedHold.clampedNanoseconds else {
                    continue
                }
                running[number]?.isReported = true
                job.source.stillHoldsThread()
                continue
            }
            guard var held = job.held else {
                running[number]?.held = HeldTime(of: job.thread)
                continue
            }
            held.look(at: job.thread)
            running[number]?.held = held
            guard held.nanoseconds >= maximumHold.clampedNanoseconds else { continue }
            running[number]?.isHeld = true
            job.source.willHoldThread(
                job.source.runningWork, for: .nanoseconds(MonotonicTime.now.nanoseconds - job.since.nanoseconds))
        }
    }

    /// Returns whether each thread has a job that holds it, or that waits in a call.
    func areAllHeld() -> Bool {
        // A thread without a job is about to begin one, and will go on with those that wait.
        running.count == threads && running.values.allSatisfy { $0.isHeld || $0.held?.last.activity == .waitingInCall }
    }

    /// Returns one source of each group whose jobs wait while others of the group hold all its threads.
    func groupsWaiting(forOneOf threads: Int) -> [any JobSource] {
        groups.compactMap { id, group in
            guard let waiting = group.waiting.first else { return nil }
            let held = running.values.lazy.filter { $0.isHeld && $0.source.group == id }.count
            return held == threads ? waiting.source : nil
        }
    }
}
