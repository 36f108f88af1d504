import LibC
package import Queues
import Synchronization

/// Threads that run Swift jobs, as many as are needed so that none waits for long: a job may block its thread, which is
/// what distinguishes the pool from Swift's own, whose threads are as many as the processors.
///
/// Up to the number of processors a job that finds no idle thread gets a new one. Beyond that, their number doubles each time
/// that `HoldWatch` finds jobs waiting, that none has begun or ended since its last look, and that all threads are held: more
/// threads don't help those that wait for a processor. Idle threads end after a while.
///
/// The number of threads is bounded for each group of sources, such as all sessions of one view model: jobs of a group that
/// holds all of its threads wait, and those of others don't.
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
    ///   - groupThreads: when so many jobs of a group hold their threads, further ones of it wait. At least 1.
    ///   - watch: sees when threads are held.
    package init(groupThreads: Int, watch: HoldWatch) {
        shared = Shared(groupThreads: max(1, groupThreads))
        self.watch = watch
        usualThreads = max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
        watch.add(shared)
    }

    deinit {
        // Its threads end once they are idle, and nothing can be queued any more.
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
    /// Adds threads where jobs wait though none has begun or ended since the last call: as many as there are, so that many
    /// that begin to block at once soon hold up nobody, and no more than jobs that wait. Notes the jobs that have held a
    /// thread for `maximumHold`, or for `reportedHold` and still do.
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

    /// The thread is counted already.
    func startThread() {
        do throws(SystemError) {
            try Thread.start("handlers") { [self] in runJobs() }
        } catch {
            // None to be had now: the jobs wait for one of the others, or for the next look.
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

    /// Tells the job numbers of this pool's threads from those of a loop.
    var identity: UnsafeRawPointer { UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque()) }

    /// The jobs that run now.
    var running: [PoolState.Running] { state.withLock { Array($0.running.values) } }

    /// Waits for a job. Nil when none has come for so long that the thread may end.
    private func next(_ thread: Int32) -> (number: Int, PoolState.Job)? {
        while true {
            if let next = state.withLock({ $0.begin(on: thread) }) { return next }
            guard !ready.wait(atMost: WorkerPool.idleTime) else { continue }
            let ends = state.withLock { state in
                // Somebody who has queued a job counts on this thread, and is about to post.
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

/// The jobs and threads of a pool. Pure.
struct PoolState {
    struct Job {
        let job: UnownedJob
        let source: any JobSource
    }

    struct Running {
        let source: any JobSource
        let since: MonotonicTime
        /// The kernel's number.
        let thread: Int32
        /// From the first look at it.
        fileprivate var held: HeldTime?
        /// Its source was told that it holds its thread.
        var isHeld = false
        /// Its source was told that it goes on.
        fileprivate var isReported = false
        /// Several, where the job let handlers of several loops go on, as an actor's does that they all wait for.
        fileprivate(set) var passed: [Passed] = []
    }

    /// A job for another runner.
    struct Passed {
        let job: Job
        let runner: any JobRunner
    }

    private struct Group {
        /// Jobs that run or can be begun.
        var count = 0
        var waiting = Deque<Job>()
    }

    /// Jobs that can be begun, in order.
    private(set) var ready = Deque<Job>()
    private var groups: [ObjectIdentifier: Group] = [:]
    var threads = 0
    /// Threads that wait for a job.
    var idle = 0
    /// Counts the jobs that have begun and ended.
    private(set) var progress = 0
    var progressSeen = -1
    /// By the number of the job.
    private(set) var running: [Int: Running] = [:]
    private var lastJob = 0

    /// Returns whether it can be begun; else it waits until one of its group has ended.
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

    /// The next job, for a thread that is idle where there is none.
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

    /// One that waits for its group takes the place of the one that has ended, and the calling thread begins a job next.
    ///
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

    /// With the lock held, so that a job is told of before it has ended. Called at each look.
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

    /// Whether each thread has a job that waits in a call, or holds it.
    func areAllHeld() -> Bool {
        // One that is about to begin a job will go on with those that wait.
        running.count == threads && running.values.allSatisfy { $0.isHeld || $0.held?.last.activity == .waitingInCall }
    }

    /// One source of each group of which jobs wait while others of it hold all its threads.
    func groupsWaiting(forOneOf threads: Int) -> [any JobSource] {
        groups.compactMap { id, group in
            guard let waiting = group.waiting.first else { return nil }
            let held = running.values.lazy.filter { $0.isHeld && $0.source.group == id }.count
            return held == threads ? waiting.source : nil
        }
    }
}
