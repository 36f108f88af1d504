import Queues
import Synchronization

/// Runs jobs when the test says so, on the test's thread, as the loop or the pool of a server would.
final class StepRunner: JobRunner, TaskExecutor {
    private struct State {
        var jobs: [(job: UnownedJob, source: (any JobSource)?)] = []
        var isRunning = false
        var isHeld = false
        var source: (any JobSource)?
        var passed: [@Sendable () -> Void] = []
        var holdsWhenPassing = false
    }

    private let state = Mutex(State())

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        state.withLock { $0.jobs.append((job, nil)) }
    }

    func run(_ job: UnownedJob, from source: any JobSource) {
        state.withLock { $0.jobs.append((job, source)) }
    }

    /// The job that runs holds its thread.
    var isHeld: Bool { state.withLock { $0.isHeld && $0.source != nil } }

    var isRunner: Bool { state.withLock { $0.isRunning } }

    /// The jobs that wait.
    var count: Int { state.withLock { $0.jobs.count } }

    /// Runs what is queued and what that queues. Returns how many jobs it were.
    @discardableResult
    func run() -> Int {
        var count = 0
        while let (job, source) = state.withLock({ $0.jobs.isEmpty ? nil : $0.jobs.removeFirst() }) {
            count += 1
            state.withLock { ($0.isRunning, $0.isHeld, $0.source) = (true, false, source) }
            job.runSynchronously(on: source?.asUnownedTaskExecutor() ?? asUnownedTaskExecutor())
            let isHeld = state.withLock { state in
                (state.isRunning, state.source) = (false, nil)
                return state.isHeld
            }
            let passed = state.withLock { state in
                defer { state.passed = [] }
                return state.passed
            }
            for pass in passed { pass() }
            if isHeld { source?.didHoldThread() }
        }
        return count
    }

    /// A job that passes another one on is seen as one that holds its thread.
    func holdWhenPassing() {
        state.withLock { $0.holdsWhenPassing = true }
    }

    func pass(_ job: UnownedJob, from source: any JobSource, to other: any JobRunner) {
        guard isRunner else { return other.run(job, from: source) }
        if state.withLock({ $0.holdsWhenPassing }) { hold(isLoop: false) }
        state.withLock { $0.passed.append { other.run(job, from: source) } }
    }

    /// Called by a job that goes on with its thread.
    func stillHolds() {
        state.withLock { $0.source }?.stillHoldsThread()
    }

    /// Called by a job that holds its thread: a loop is taken from it.
    func hold(isLoop: Bool) {
        guard let source = state.withLock({ $0.source }) else { return }
        let work = source.runningWork
        state.withLock { ($0.isRunning, $0.isHeld) = (!isLoop, true) }
        if isLoop {
            source.willHoldLoop(work, for: .milliseconds(10))
        } else {
            source.willHoldThread(work, for: .milliseconds(10))
        }
    }
}
