import LibC
import Queues
import Synchronization

/// Has a loop go on in another thread when a job holds the loop's own; as a rule the job is a view model's handler.
///
/// The watch's thread looks at all loops every few milliseconds while they work, and sleeps while they don't. A job that has
/// held its loop's thread for `maximumHold` keeps that thread. A new thread takes over the loop with its connections, and the
/// old one ends when the job returns. `ThreadTimes` says which time counts.
package final class HoldWatch: Sendable {
    /// The number of looks without work after which the watch sleeps.
    private static let idleTicks = 50
    /// The time between two looks beyond which the whole process must have been suspended.
    private static let standstill = Duration.milliseconds(500)

    /// The state of the watch's thread, which may outlive the watch.
    private final class Shared: Sendable {
        struct State {
            var loops: [WatchedLoop] = []
            var pools: [WorkerPool.Shared] = []
            var holds: [Hold] = []
            var hasThread = false
            var allHolds = 0
        }

        let state = Mutex(State())
        let isAsleep = Atomic<Bool>(true)
        let isStopped = Atomic<Bool>(false)
        let bell = Semaphore()
        let maximumHold: Duration
        let reportedHold: Duration
        let probe: PoolProbe?
        /// The time between two looks: short enough that a hold is noticed soon after `maximumHold`, and at least a
        /// millisecond.
        let tick: Duration

        init(maximumHold: Duration, reportedHold: Duration, _ probe: PoolProbe?) {
            self.maximumHold = maximumHold
            self.reportedHold = reportedHold
            self.probe = probe
            tick = .nanoseconds(max(1_000_000, maximumHold.clampedNanoseconds / 5 * 2))
        }
    }

    private struct WatchedLoop {
        let loop: EventLoop
        /// The job that the loop ran at the last look; 0 for none.
        var job: UInt64 = 0
        var held: HeldTime?
    }

    /// A job that has kept its thread while the loop went on in another one.
    private struct Hold {
        let loop: ObjectIdentifier
        let job: UInt64
        let work: String
        let source: any JobSource
        let start: MonotonicTime
        /// Whether the job's source was told that the job still holds the thread.
        var isReported = false
    }

    private let shared: Shared

    /// - Parameters:
    ///   - maximumHold: how long a job may hold its loop's thread before the loop goes on in another thread. The watch
    ///     notices a few milliseconds later.
    ///   - reportedHold: how long a job holds a thread before its source is told that it still does.
    ///   - probe: checks Swift's own pool while the loops work.
    package init(
        maximumHold: Duration = .milliseconds(10), reportedHold: Duration = .seconds(1), probe: PoolProbe? = nil
    ) {
        shared = Shared(maximumHold: maximumHold, reportedHold: reportedHold, probe)
    }

    /// How long Swift's own pool has begun no job; zero where that isn't longer than usual. Any thread may read this.
    package var poolHeldTime: Duration {
        shared.probe?.look()
        return shared.probe?.heldTime ?? .zero
    }

    deinit {
        shared.isStopped.store(true, ordering: .releasing)
        shared.bell.post()
    }

    /// Work that holds a thread, named by its view model and handler, as in `finder.query`.
    package struct HeldWork: Sendable {
        package let name: String
        package let duration: Duration
    }

    /// The work that now holds a thread of a loop or of a pool for longer than it should. Any thread may read this.
    package var heldWork: [HeldWork] {
        let now = MonotonicTime.now
        let (holds, pools) = shared.state.withLock { ($0.holds, $0.pools) }
        let running = pools.flatMap { $0.running }.filter {
            now.nanoseconds - $0.since.nanoseconds > shared.maximumHold.clampedNanoseconds
        }
        return (holds.map { ($0.work, $0.start) } + running.map { ($0.source.runningWork, $0.since) }).map {
            HeldWork(name: $0, duration: .nanoseconds(now.nanoseconds - $1.nanoseconds))
        }
    }

    /// How often a loop went on in another thread. Any thread may read this.
    package var holdCount: Int { shared.state.withLock { $0.allHolds } }

    /// Begins to watch a loop.
    ///
    /// - Throws: when the system can't create a thread.
    func add(_ loop: EventLoop) throws(SystemError) {
        let needsThread = shared.state.withLock { state in
            state.loops.append(WatchedLoop(loop: loop))
            defer { state.hasThread = true }
            return !state.hasThread
        }
        guard needsThread else { return }
        try Thread.start("watch") { [shared] in Self.run(shared) }
    }

    func remove(_ loop: EventLoop) {
        shared.state.withLock { $0.loops.removeAll { $0.loop === loop } }
    }

    func add(_ pool: WorkerPool.Shared) {
        shared.state.withLock { $0.pools.append(pool) }
    }

    func remove(_ pool: WorkerPool.Shared) {
        shared.state.withLock { $0.pools.removeAll { $0 === pool } }
    }

    @inline(__always)
    func wakeIfAsleep() {
        if shared.isAsleep.load(ordering: .sequentiallyConsistent) { wake() }
    }

    @inline(never)
    private func wake() {
        if shared.isAsleep.exchange(false, ordering: .sequentiallyConsistent) { shared.bell.post() }
    }

    /// Notes that a job which had kept its thread has returned. Called by that thread.
    func didReturn(_ job: UInt64, _ loop: EventLoop) {
        let hold = shared.state.withLock { state -> Hold? in
            let index = state.holds.firstIndex { $0.job == job && $0.loop == ObjectIdentifier(loop) }
            return index.map { state.holds.remove(at: $0) }
        }
        hold?.source.didHoldThread()
    }

    private static func run(_ shared: Shared) {
        var idle = 0
        var lastLook: MonotonicTime?
        while !shared.isStopped.load(ordering: .acquiring) {
            guard !shared.isAsleep.load(ordering: .acquiring) else {
                shared.bell.wait()
                (idle, lastLook) = (0, nil)
                continue
            }
            shared.bell.wait(atMost: shared.tick)
            let isBusy = look(shared)
            let now = MonotonicTime.now
            let time = Duration.nanoseconds(now.nanoseconds - (lastLook ?? now).nanoseconds)
            if time > standstill { shared.probe?.didStandStill(for: time) }
            lastLook = now
            let probes = shared.probe?.look() ?? false
            idle = isBusy || probes ? 0 : idle + 1
            guard idle >= idleTicks else { continue }
            shared.isAsleep.store(true, ordering: .sequentiallyConsistent)
            // A job may have begun before, without seeing that the watch sleeps.
            if shared.state.withLock({ $0.loops.contains { $0.loop.lease.job != 0 } }) {
                shared.isAsleep.store(false, ordering: .sequentiallyConsistent)
                idle = 0
            }
        }
    }

    /// Looks at all loops and pools. Returns whether a job runs, or holds a thread and isn't reported yet.
    private static func look(_ shared: Shared) -> Bool {
        var isBusy = false
        var lasting: [any JobSource] = []
        shared.state.withLock { state in
            for index in state.loops.indices {
                let loop = state.loops[index].loop
                let job = loop.lease.job
                let thread = loop.lease.thread.load(ordering: .relaxed)
                defer { state.loops[index].job = job }
                guard job != 0 else { continue }
                isBusy = true
                guard job == state.loops[index].job else {
                    state.loops[index].held = HeldTime(of: thread)
                    continue
                }
                state.loops[index].held?.look(at: thread)
                guard let hold = takeOver(state.loops[index], shared.maximumHold) else { continue }
                state.holds.append(hold)
                state.allHolds += 1
            }
            let reported = MonotonicTime.now.nanoseconds - shared.reportedHold.clampedNanoseconds
            for index in state.holds.indices where !state.holds[index].isReported {
                isBusy = true
                guard state.holds[index].start.nanoseconds <= reported else { continue }
                state.holds[index].isReported = true
                lasting.append(state.holds[index].source)
            }
        }
        for source in lasting { source.stillHoldsThread() }
        for pool in shared.state.withLock({ $0.pools }) where pool.look(shared.maximumHold, shared.reportedHold) {
            isBusy = true
        }
        return isBusy
    }

    /// Has another thread run the loop, where its job has held it for `maximumHold`. Returns nil where nothing has changed.
    private static func takeOver(_ watched: WatchedLoop, _ maximumHold: Duration) -> Hold? {
        let (loop, job) = (watched.loop, watched.job)
        guard let held = watched.held, held.nanoseconds >= maximumHold.clampedNanoseconds,
            // From here on this thread has the loop.
            loop.lease.take(from: job)
        else { return nil }
        guard let source = loop.core.sourceOfLentJob else {
            loop.lease.lend(to: job)
            return nil
        }
        let hold = Hold(
            loop: ObjectIdentifier(loop), job: job, work: source.runningWork, source: source, start: held.start)
        // Before the loop goes on, which moves jobs that are like this one.
        source.willHoldLoop(hold.work, for: .nanoseconds(MonotonicTime.now.nanoseconds - held.start.nanoseconds))
        do throws(SystemError) {
            try loop.continueInNewThread()
            return hold
        } catch {
            // The system can't create a thread now: the loop stays with its job, and is looked at again.
            loop.lease.lend(to: job)
            return nil
        }
    }
}
