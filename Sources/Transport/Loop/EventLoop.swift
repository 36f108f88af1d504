import LibC
package import Queues
import Synchronization

/// A thread that waits for descriptors and timers, and on which Swift tasks run.
///
/// Reading, handling and writing of a connection happen on the thread of its loop: a task with this executor
/// preference, and the default actors that it calls, run here without a hop. A turn of the loop is:
///
/// 1. wait (`epoll_wait` or `poll`), unless there is work;
/// 2. call back what became ready, then the timers that are due;
/// 3. run the queued jobs and closures, and those that they add, until there are none (or `LoopCore.jobsPerTurn` have
///    run);
/// 4. run the work for the end of the turn, then let each stream write, once, all that the turn gave it.
///
/// A job that blocks the thread blocks all connections of its loop, unless the loop has a `HoldWatch`: then the loop goes on
/// in another thread. So "the loop's thread" is the one that has the loop now, and a job that lost the loop goes on
/// elsewhere. The loop retains itself from `start` until it ends.
package final class EventLoop: TaskExecutor, Sendable {
    /// The loop's name, for logs. It is also the thread's name, of which the kernel keeps 15 bytes.
    package let name: String

    // Only the loop's thread uses the object: every access is behind `ifCurrent` or `preconditionIsCurrent`, except in
    // `init`, `run` and `HoldWatch`, which have it to themselves. The lease says which thread is the loop's.
    nonisolated(unsafe) let core: LoopCore
    let mailbox: Mailbox
    let lease = LoopLease()
    let watch: HoldWatch?
    private let clock: LoopClock

    /// Makes a loop that doesn't run yet.
    ///
    /// From here on the process ignores SIGPIPE and SIGXFSZ: a write that fails ends its stream, not the process.
    ///
    /// - Parameters:
    ///   - clock: the clock of the loop's timers; nil: the monotonic clock. The loop reads it once a turn, and isn't woken
    ///     when somebody moves it.
    ///   - watch: has the loop go on in another thread when a job holds its own. Jobs don't count as on the loop then: they
    ///     reach it by `execute`, `schedule` and `LoopBound.ifCurrent`.
    /// - Throws: when the process has no descriptors left.
    package init(
        name: String, poller: PollerKind = .default, clock: (any Clock<Duration>)? = nil, watch: HoldWatch? = nil
    ) throws(SystemError) {
        clinux_ignore_failed_writes()
        self.name = name
        self.watch = watch
        self.clock = clock.map { LoopClock($0) } ?? .monotonic
        mailbox = try Mailbox()
        core = LoopCore(poller: try poller.makePoller(), clock: self.clock)
        // Done here, where it may fail: a loop without its mailbox could neither be woken nor stopped.
        try core.poller.setInterest(.read, previous: [], descriptor: mailbox.descriptor, token: Mailbox.registration)
    }

    /// Whether the calling code is on the loop's thread; false in the jobs of a watched loop. Costs one load.
    package var isCurrent: Bool {
        clinux_current_loop() == UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque())
    }

    /// Stops the process when called off the loop, as that is a programming error that would be a data race.
    package func preconditionIsCurrent(file: StaticString = #fileID, line: UInt = #line) {
        precondition(
            isCurrent, "This belongs to the event loop \"\(name)\" and was used off it", file: file, line: line)
    }

    /// The number of the job or callback that runs now; 0 off the loop.
    ///
    /// Each Swift job, closure, readiness callback and timer has its own number. So code that sees a different number than
    /// before was suspended in between.
    package var jobNumber: UInt64 {
        if isCurrent { return core.jobNumber }
        return isLent ? clinux_lent_job() : 0
    }

    /// Whether this thread runs a job of this loop, though it may have lost the loop since.
    private var isLent: Bool {
        clinux_lent_loop() == UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque())
    }

    /// Starts the thread, which then runs the work that was queued before. Called once.
    ///
    /// - Throws: when the system can't create a thread. Then the loop never runs.
    package func start() throws(SystemError) {
        mailbox.willStart()
        if let watch { try watch.add(self) }
        try Thread.start(name) { self.run() }
    }

    /// Has a new thread run the loop where a job holds the previous thread. Called by the thread that has taken the loop, and
    /// gives it up.
    func continueInNewThread() throws(SystemError) {
        try Thread.start(name) { self.run(continuing: true) }
    }

    /// Ends the loop. Any thread may call this; more than once, or before `start`, is fine.
    ///
    /// Jobs and work queued so far still run, and what they queue (for a limited number of rounds). Then open streams,
    /// listeners and watchers are closed, and the thread ends. Work queued later is dropped. Jobs queued later never run,
    /// since they may rely on the loop's thread.
    package func stop() {
        mailbox.requestStop()
    }

    /// The time of the loop's timers.
    var now: MonotonicTime { clock.now() }

    /// Suspends until the loop has ended: all its work has run, and its descriptors are closed.
    ///
    /// Returns at once when the loop has ended, or was stopped before it was started. Must not be called from the loop
    /// itself, which would wait for its own end.
    package func join() async {
        precondition(!isCurrent, "The event loop \"\(name)\" can't wait for its own end")
        await withCheckedContinuation { continuation in
            mailbox.whenEnded { continuation.resume() }
        }
    }

    /// Blocks the calling thread until the loop has ended; otherwise the same as `join() async`.
    package func join() {
        precondition(!isCurrent, "The event loop \"\(name)\" can't wait for its own end")
        let end = Semaphore()
        mailbox.whenEnded { end.post() }
        end.wait()
    }
}

// Work and jobs.
extension EventLoop {
    /// Runs `work` on the loop, never inline, in order with what the same thread queued before. Any thread may call this.
    ///
    /// Costs an append from the loop; from elsewhere a lock, and a system call to wake the loop when it had nothing queued.
    package func execute(_ work: @escaping @Sendable () -> Void) {
        if ifCurrent({ core.append(.closure(work)) }) == nil { mailbox.post(.closure(work)) }
    }

    /// Runs `work` on the loop like `execute`, for closures that aren't `Sendable`. Called on the loop only.
    func executeHere(_ work: @escaping () -> Void) {
        preconditionIsCurrent()
        core.append(.closure(work))
    }

    /// Runs `work` on the loop once `delay` has passed, never inline and never early. Any thread may call this.
    ///
    /// The work is late by less than a millisecond, and by what the loop is busy with. Work that is still due when the loop
    /// ends is dropped.
    @discardableResult
    package func schedule(after delay: Duration, _ work: @escaping @Sendable () -> Void) -> LoopTimer {
        let timer = LoopTimer(deadline: clock.now().advanced(by: delay), loop: self, work: work)
        if ifCurrent({ core.timers.insert(timer) }) == nil {
            execute { self.core.timers.insert(timer) }
        }
        return timer
    }

    /// Runs `work` once, after the jobs and callbacks of this turn and before the loop waits again. Called on the loop only.
    ///
    /// Work that is added by such work runs at the end of the next turn, which comes without waiting.
    package func atEndOfTurn(_ work: @escaping () -> Void) {
        preconditionIsCurrent()
        core.atEndOfTurn(.run(work))
    }

    /// Calls `handler` at the end of the turn, like `atEndOfTurn(_:)` but without allocating a closure, for callers that ask
    /// in most turns.
    package func atEndOfTurn(call handler: any TurnEndHandler) {
        preconditionIsCurrent()
        core.atEndOfTurn(.call(handler))
    }

    /// Calls `handler` once all queued work has run, including what that work queues: work that begins now gets as far as it
    /// can without waiting. Handlers take turns, and each asks again for its next turn. Called on the loop only.
    package func afterReadyWork(call handler: any ReadyWorkHandler) {
        preconditionIsCurrent()
        core.afterReadyWork(handler)
    }

    /// A number that changes each time that all queued work has run. Read on the loop only.
    package var readyWorkNumber: UInt64 { core.readyWorkNumber }

    /// Queues a job. Called by the Swift runtime, on any thread. On the loop this takes neither a lock nor a system call.
    package func enqueue(_ job: consuming ExecutorJob) {
        enqueue(UnownedJob(job), from: nil)
    }

    private func enqueue(_ job: UnownedJob, from source: (any JobSource)?) {
        let entry = enter()
        if case .none = entry { return mailbox.post(.job(job, from: source)) }
        core.append(.job(job, from: source))
        leave(entry)
    }

    package func asUnownedTaskExecutor() -> UnownedTaskExecutor {
        UnownedTaskExecutor(ordinary: self)
    }
}

extension EventLoop: JobRunner {
    package func run(_ job: UnownedJob, from source: any JobSource) {
        enqueue(job, from: source)
    }

    package var isRunner: Bool { isCurrent || (isLent && lease.job == clinux_lent_job()) }
}

// Before the loop starts.
extension EventLoop {
    /// Runs `work` on the calling thread as if that were the loop's thread, before the loop is started.
    ///
    /// The loop's thread finds the descriptors that `work` opens and the work that it queues, without a hop there and back.
    /// For the loop's maker, while nobody else knows the loop. Swift tasks that prefer this loop wait for its thread, and so
    /// do reads and writes.
    package func prepare<Value, Failure>(_ work: () throws(Failure) -> Value) throws(Failure) -> Value {
        mailbox.preconditionNotStarted()
        let outer = clinux_current_loop()
        clinux_set_current_loop(Unmanaged.passUnretained(self).toOpaque())
        defer { clinux_set_current_loop(outer) }
        return try work()
    }

    /// Returns a semaphore that is posted when the first turn of the loop is over and the kernel has what was written in it.
    /// Called before `start`.
    package func endOfFirstTurn() -> Semaphore {
        let end = Semaphore()
        prepare {
            // Streams write after the work for a turn's end, so this waits for another turn, which comes at once.
            atEndOfTurn { [self] in atEndOfTurn { end.post() } }
        }
        return end
    }
}
