#if canImport(Glibc)
import Glibc
#endif

/// All that a loop keeps for itself; confined to its thread, hence without a lock.
final class LoopCore {
    enum Work {
        case job(UnownedJob)
        case closure(() -> Void)
    }

    /// After so many jobs the turn ends though there are more: who queues without end must not starve the descriptors.
    static let jobsPerTurn = 4096
    /// What one read can take, for all streams of the loop.
    static let scratchBytes = 64 * 1024
    /// Queues that grew beyond this many entries in a burst give their memory back.
    static let keptCapacity = 1024

    var poller: any Poller
    var table = RegistrationTable()
    var timers = TimerHeap()
    private var queue: [Work] = []
    private var nextInQueue = 0
    private var isInJob = false
    private var isNested = false
    var mail: [Mailbox.Mail] = []
    var endOfTurn: [() -> Void] = []
    var unflushed: [any TurnEndWriter] = []
    var jobNumber: UInt64 = 0
    var isStopping = false
    var buffers = BufferPool()

    /// Where streams read to; while it is lent to a handler, `isScratchLent`.
    let scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: scratchBytes, alignment: 16)
    var isScratchLent = false

    private var ready: [ReadyEvent] = []
    private var endingTurn: [() -> Void] = []
    private var flushing: [any TurnEndWriter] = []

    init(poller: any Poller) {
        self.poller = poller
    }

    deinit {
        scratch.deallocate()
    }

    func append(_ work: Work) {
        queue.append(work)
    }

    private var hasQueuedWork: Bool { nextInQueue < queue.count }

    var hasWork: Bool { hasQueuedWork || !endOfTurn.isEmpty || !unflushed.isEmpty }

    func wait() {
        poller.wait(milliseconds: hasWork ? 0 : timers.millisecondsToNext(), into: &ready)
    }

    /// Returns whether the mailbox was among what is ready.
    func dispatchReady(mailbox: RegistrationToken) -> Bool {
        var hasMail = false
        for index in ready.indices {
            let event = ready[index]
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
        ready.removeAll(keepingCapacity: true)
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
        while hasQueuedWork, left > 0 {
            left -= 1
            let work = queue[nextInQueue]
            nextInQueue += 1
            jobNumber &+= 1
            switch work {
            case .job(let job):
                isInJob = true
                job.runSynchronously(on: executor)
                isInJob = false
            case .closure(let work):
                work()
            }
            forgetWhatRan()
        }
    }

    /// What ran stays in front of the queue until all has, or until it outweighs what is left.
    private func forgetWhatRan() {
        if nextInQueue == queue.count {
            queue.removeAll(keepingCapacity: queue.capacity <= Self.keptCapacity)
            nextInQueue = 0
        } else if nextInQueue >= Self.keptCapacity, nextInQueue * 2 >= queue.count {
            queue.removeFirst(nextInQueue)
            nextInQueue = 0
        }
    }

    private func runEndOfTurn() {
        guard !endOfTurn.isEmpty else { return }
        swap(&endOfTurn, &endingTurn)
        for index in endingTurn.indices { endingTurn[index]() }
        endingTurn.removeAll(keepingCapacity: endingTurn.capacity <= Self.keptCapacity)
    }

    private func flushStreams() {
        guard !unflushed.isEmpty else { return }
        swap(&unflushed, &flushing)
        for index in flushing.indices { flushing[index].writeAtTurnEnd() }
        flushing.removeAll(keepingCapacity: flushing.capacity <= Self.keptCapacity)
    }

    /// The loop has ended: breaks the cycles of what refers to the loop.
    func dropAll() {
        let dropped = (queue, endOfTurn, unflushed, timers)
        (queue, endOfTurn, unflushed, timers) = ([], [], [], TimerHeap())
        nextInQueue = 0
        withExtendedLifetime(dropped) {}
    }
}

/// A stream that wants to send, once, at the end of the turn, what the turn gave it.
protocol TurnEndWriter: AnyObject {
    func writeAtTurnEnd()
}
