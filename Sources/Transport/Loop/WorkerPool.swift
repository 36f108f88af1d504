import LibC
package import Queues
import Synchronization

/// Threads that run Swift jobs, as many as are needed so that none waits for long: a job may block its thread, which is what
/// distinguishes the pool from Swift's own, whose threads are as many as the processors.
///
/// Up to the number of processors a job that finds no idle thread gets a new one. Beyond that, their number doubles each time
/// that `HoldWatch` finds jobs waiting and that none has begun or ended since its last look. Idle threads end after a while.
package final class WorkerPool: JobRunner {
    final class Shared: Sendable {
        struct State {
            var queue = Deque<(job: UnownedJob, source: any JobSource)>()
            var threads = 0
            var idle = 0
            /// Counts the jobs that have begun and ended.
            var progress = 0
            var progressSeen = -1
            /// By the number of the job.
            var running: [Int: Running] = [:]
            var lastJob = 0
        }

        struct Running {
            let source: any JobSource
            let since: MonotonicTime
        }

        let state = Mutex(State())
        let ready = Semaphore()
        let maximumThreads: Int

        init(maximumThreads: Int) { self.maximumThreads = maximumThreads }
    }

    static let idleTime = Duration.seconds(10)
    private let shared: Shared
    package let watch: HoldWatch
    private let usualThreads: Int

    /// - Parameters:
    ///   - maximumThreads: with so many jobs that hold their threads, further ones wait. At least 1.
    ///   - watch: sees when threads are held.
    package init(maximumThreads: Int, watch: HoldWatch) {
        shared = Shared(maximumThreads: max(1, maximumThreads))
        self.watch = watch
        usualThreads = min(shared.maximumThreads, max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))))
        watch.add(shared)
    }

    deinit {
        // Its threads end once they are idle, and nothing can be queued any more.
        watch.remove(shared)
    }

    package var isRunner: Bool { false }

    package func run(_ job: UnownedJob, from source: any JobSource) {
        let (isIdleThreadThere, isThreadNeeded) = shared.state.withLock { state in
            state.queue.append((job, source))
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

    package func runInOrder(_ job: UnownedJob, from source: any JobSource) {
        run(job, from: source)
    }
}

extension WorkerPool.Shared {
    /// Adds threads where jobs wait though none has begun or ended since the last call: as many as there are, so that many
    /// that begin to block at once soon hold up nobody, and no more than jobs that wait.
    ///
    /// - Returns: whether jobs wait or run.
    func look() -> Bool {
        let (isBusy, needed) = state.withLock { state in
            let isBusy = state.threads > state.idle
            defer { state.progressSeen = state.progress }
            guard state.idle == 0, state.progress == state.progressSeen else { return (isBusy, 0) }
            let needed = min(state.queue.count, max(1, state.threads), maximumThreads - state.threads)
            state.threads += needed
            return (isBusy, needed)
        }
        for _ in 0..<needed { startThread() }
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
        while let (number, job, source) = next() {
            job.runSynchronously(on: source.asUnownedTaskExecutor())
            let ended = state.withLock { state in
                state.progress &+= 1
                return state.running.removeValue(forKey: number)
            }
            // Released with no lock held: a session may end with it.
            withExtendedLifetime(ended) {}
        }
    }

    /// The jobs that run now.
    var running: [Running] { state.withLock { Array($0.running.values) } }

    /// Waits for a job. Nil when none has come for so long that the thread may end.
    private func next() -> (number: Int, job: UnownedJob, source: any JobSource)? {
        while true {
            let next = state.withLock { state -> (Int, UnownedJob, any JobSource)? in
                guard let (job, source) = state.queue.popFirst() else {
                    state.idle += 1
                    return nil
                }
                state.progress &+= 1
                state.lastJob &+= 1
                state.running[state.lastJob] = Running(source: source, since: .now)
                return (state.lastJob, job, source)
            }
            if let next { return next }
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
