import Queues

/// All that a loop keeps for itself; confined to its thread, hence without a lock.
///
/// Properties that every turn uses are `@exclusivity(unchecked)`: on one thread, and never lent to what may call back, they
/// can't be used twice at once, and the checks at run time took 1,600 of the 4,000 instructions of a turn.
final class LoopCore {
    enum Work {
        case job(UnownedJob)
        case closure(() -> Void)
    }

    /// After so many jobs the turn ends though there are more: who queues without end must not starve the descriptors.
    static let jobsPerTurn = 4096
    /// What one read can take, for all streams of the loop.
    static let scratchBytes = 64 * 1024
    /// What was taken from the mailbox keeps its memory for so many entries.
    static let keptCapacity = 1024

    @exclusivity(unchecked) var poller: any Poller
    @exclusivity(unchecked) var table = RegistrationTable()
    @exclusivity(unchecked) var timers = TimerHeap()
    @exclusivity(unchecked) private var queue = Deque<Work>()
    @exclusivity(unchecked) private var isInJob = false
    @exclusivity(unchecked) private var isNested = false
    @exclusivity(unchecked) private var endOfTurn = Deque<TurnEndWork>()
    @exclusivity(unchecked) private var unflushed = Deque<any TurnEndWriter>()
    @exclusivity(unchecked) var jobNumber: UInt64 = 0
    @exclusivity(unchecked) var isStopping = false
    @exclusivity(unchecked) var buffers = BufferPool()
    /// For the memory of the next mail.
    @exclusivity(unchecked) var emptiedMail: [Mailbox.Mail] = []

    /// Where streams read to; while it is lent to a handler, `isScratchLent`.
    let scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: scratchBytes, alignment: 16)
    @exclusivity(unchecked) var isScratchLent = false

    init(poller: any Poller) {
        self.poller = poller
    }

    deinit {
        scratch.deallocate()
    }

    func append(_ work: consuming Work) {
        queue.append(work)
    }

    /// Comes after what was asked for before, and before the writers.
    func atEndOfTurn(_ work: TurnEndWork) {
        endOfTurn.append(work)
    }

    func writeAtEndOfTurn(_ writer: any TurnEndWriter) {
        unflushed.append(writer)
    }

    var hasWork: Bool { !queue.isEmpty || !endOfTurn.isEmpty || !unflushed.isEmpty }

    /// Waits for what becomes ready, and calls it back. Returns whether the mailbox was among it.
    func waitAndDispatch(mailbox: RegistrationToken) -> Bool {
        var hasMail = false
        for event in poller.wait(milliseconds: hasWork ? 0 : timers.millisecondsToNext()) {
            if event.token == mailbox {
                hasMail = true
                continue
            }
            // An earlier callback of this turn may have withdrawn it, or given up part of its interest.
            guard let entry = table[event.token], let registrant = entry.registrant else { continue }
            let readiness = event.readiness.intersection(entry.interest)
            guard !readiness.isEmpty else { continue }
            jobNumber &+= 1
            registrant.didBecomeReady(readiness)
        }
        return hasMail
    }

    func fireTimers() {
        guard !timers.isEmpty else { return }
        let now = MonotonicTime.now
        // Those due at the start: a timer that sets itself again with no delay waits for the next turn.
        for timer in timers.removeAll(dueAt: now) {
            guard let work = timer.takeWork() else { continue }
            jobNumber &+= 1
            work()
        }
    }

    func finishTurn(_ executor: UnownedTaskExecutor) {
        runJobs(executor)
        runEndOfTurn()
        flushStreams()
    }

    /// See `EventLoop.runReadyWork`.
    func runNested(_ executor: UnownedTaskExecutor) {
        guard !isInJob, !isNested else { return }
        isNested = true
        runJobs(executor)
        isNested = false
    }

    private func runJobs(_ executor: UnownedTaskExecutor) {
        var left = Self.jobsPerTurn
        while left > 0, let work = queue.popFirst() {
            left &-= 1
            jobNumber &+= 1
            switch work {
            case .job(let job):
                isInJob = true
                job.runSynchronously(on: executor)
                isInJob = false
            case .closure(let work):
                work()
            }
        }
    }

    // What is added meanwhile is for the next turn.

    private func runEndOfTurn() {
        for _ in 0..<endOfTurn.count {
            switch endOfTurn.popFirst() {
            case .call(let handler): handler.loopWillEndTurn()
            case .run(let work): work()
            case nil: return
            }
        }
    }

    private func flushStreams() {
        for _ in 0..<unflushed.count { unflushed.popFirst()?.writeAtTurnEnd() }
    }

    /// The loop has ended: breaks the cycles of what refers to the loop.
    func dropAll() {
        // One by one, since what a closure holds may end here and come back to the loop.
        while queue.popFirst() != nil {}
        while endOfTurn.popFirst() != nil {}
        while unflushed.popFirst() != nil {}
        let dropped = timers
        timers = TimerHeap()
        withExtendedLifetime(dropped) {}
    }
}
