import Queues

/// The parts of a loop that only its own thread uses, so without a lock.
///
/// Properties that every turn uses are `@exclusivity(unchecked)`: on one thread, and never lent to code that may call back,
/// they can't be accessed twice at once. The checks at run time were a large part of a turn.
final class LoopCore {
    enum Work {
        /// A Swift job. It runs on its source; on the loop itself where there is none.
        case job(UnownedJob, from: (any JobSource)?)
        case closure(() -> Void)
    }

    /// The number of jobs after which the turn ends though there are more, so that work that queues work without end doesn't
    /// starve the descriptors.
    static let jobsPerTurn = 4096
    /// The time in the handlers of `afterReadyWork` after which the turn ends though more wait.
    static let resumptionTime = Duration.milliseconds(2)
    /// The time in streams that write much after which the turn ends though more wait.
    static let longWriteTime = Duration.milliseconds(2)
    /// The most bytes of one read.
    static let scratchBytes = 64 * 1024
    /// The capacity beyond which an array of mail, having grown in a burst, isn't used again.
    static let keptCapacity = 1024

    @exclusivity(unchecked) var poller: any Poller
    @exclusivity(unchecked) var table = RegistrationTable()
    @exclusivity(unchecked) var timers = TimerHeap()
    @exclusivity(unchecked) private var queue = Deque<Work>()
    @exclusivity(unchecked) private var resumptions = Deque<any ReadyWorkHandler>()
    /// See `EventLoop.readyWorkNumber`.
    @exclusivity(unchecked) private(set) var readyWorkNumber: UInt64 = 0
    /// The source of the job that runs. Whoever runs the job retains the source until it is known whether the loop was taken
    /// over.
    @exclusivity(unchecked) private var runningSource: Unmanaged<AnyObject>?
    @exclusivity(unchecked) private var endOfTurn = Deque<TurnEndWork>()
    @exclusivity(unchecked) private var unflushed = Deque<any TurnEndWriter>()
    /// The streams that write much, which come after all others.
    @exclusivity(unchecked) private var longWriters = Deque<any TurnEndWriter>()
    @exclusivity(unchecked) var jobNumber: UInt64 = 0
    @exclusivity(unchecked) var isStopping = false
    @exclusivity(unchecked) var buffers = BufferPool()
    /// An empty array, whose memory is used again for the next mail.
    @exclusivity(unchecked) var emptiedMail: [Mailbox.Mail] = []

    private let clock: LoopClock
    private let scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: scratchBytes, alignment: 16)
    @exclusivity(unchecked) private var isScratchLent = false

    init(poller: any Poller, clock: LoopClock) {
        self.poller = poller
        self.clock = clock
    }

    deinit {
        scratch.deallocate()
    }

    func append(_ work: consuming Work) {
        queue.append(work)
    }

    /// Adds work for the end of the turn. It runs in the order of the calls, before the streams write.
    func atEndOfTurn(_ work: TurnEndWork) {
        endOfTurn.append(work)
    }

    func writeAtEndOfTurn(_ writer: any TurnEndWriter) {
        unflushed.append(writer)
    }

    func afterReadyWork(_ handler: any ReadyWorkHandler) {
        resumptions.append(handler)
    }

    /// The source of the job that was lent the loop. Read by the thread that has taken the loop from that job.
    var sourceOfLentJob: (any JobSource)? {
        runningSource?.takeUnretainedValue() as? any JobSource
    }

    /// Moves the queued jobs elsewhere that are like the one that has held the loop's thread, as each might hold it as long.
    /// Called by the thread that has taken the loop from that job.
    func moveHoldingJobs() {
        for _ in 0..<queue.count {
            guard let work = queue.popFirst() else { return }
            if case .job(let job, let source?) = work, source.moves(job) { continue }
            queue.append(work)
        }
    }

    var hasWork: Bool {
        !queue.isEmpty || !resumptions.isEmpty || !endOfTurn.isEmpty || !unflushed.isEmpty || !longWriters.isEmpty
    }

    /// Waits for descriptors and calls back the owners of those that are ready.
    ///
    /// - Returns: whether the mailbox was among them.
    func waitAndDispatch(mailbox: RegistrationToken) -> Bool {
        var hasMail = false
        for event in poller.wait(milliseconds: hasWork ? 0 : millisecondsToNextTimer) {
            if event.token == mailbox {
                hasMail = true
                continue
            }
            // An earlier callback of this turn may have withdrawn the registration, or given up a part of its interest.
            guard let entry = table[event.token], let registrant = entry.registrant else { continue }
            let readiness = event.readiness.intersection(entry.interest)
            guard !readiness.isEmpty else { continue }
            jobNumber &+= 1
            registrant.didBecomeReady(readiness)
        }
        return hasMail
    }

    private var millisecondsToNextTimer: Int32 {
        timers.isEmpty ? -1 : timers.millisecondsToNext(from: clock.now())
    }

    func fireTimers() {
        guard !timers.isEmpty else { return }
        let now = clock.now()
        // Only the timers that are due at the start: one that sets itself again without delay waits for the next turn.
        for timer in timers.removeAll(dueAt: now) {
            guard let work = timer.takeWork() else { continue }
            jobNumber &+= 1
            work()
        }
    }

    /// Runs the second part of a turn, after its callbacks: jobs, work for the end of the turn, and writes.
    ///
    /// - Returns: whether this thread still has the loop. If not, nothing of the loop may be touched.
    func finishTurn(of loop: EventLoop) -> Bool {
        guard runJobs(of: loop) else { return false }
        runEndOfTurn()
        flushStreams()
        return true
    }

    private func runJobs(of loop: EventLoop) -> Bool {
        var left = Self.jobsPerTurn
        var resumed = 0
        var end: MonotonicTime?
        while left > 0 {
            guard let work = queue.popFirst() else {
                readyWorkNumber &+= 1
                guard let next = resumptions.popFirst() else { return true }
                if end == nil { end = clock.now().advanced(by: Self.resumptionTime) }
                let wasLong = next.readyWorkDidRun()
                resumed &+= 1
                // Not after each handler, as reading the clock costs about as much as a small message.
                if wasLong || resumed & 7 == 0, let end, clock.now() >= end { return true }
                continue
            }
            left &-= 1
            jobNumber &+= 1
            switch consume work {
            case .job(let job, let source): guard run(job, from: source, of: loop) else { return false }
            case .closure(let work): work()
            }
        }
        // Work that queues work without end must not starve the handlers either.
        _ = resumptions.popFirst()?.readyWorkDidRun()
        return true
    }

    private func run(_ job: UnownedJob, from source: (any JobSource)?, of loop: EventLoop) -> Bool {
        let executor = source?.asUnownedTaskExecutor() ?? loop.asUnownedTaskExecutor()
        guard let watch = loop.watch else {
            job.runSynchronously(on: executor)
            return true
        }
        runningSource = source.map { Unmanaged.passUnretained($0) }
        return withExtendedLifetime(source) { loop.runLent(job, jobNumber, on: executor, watch) }
    }

    // Runs the work for the end of the turn. Work that is added meanwhile waits for the next turn.

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
        for _ in 0..<unflushed.count {
            guard let writer = unflushed.popFirst() else { return }
            if writer.writesMuch { longWriters.append(writer) } else { writer.writeAtTurnEnd() }
        }
        guard !longWriters.isEmpty else { return }
        let end = clock.now().advanced(by: Self.longWriteTime)
        for _ in 0..<longWriters.count {
            longWriters.popFirst()?.writeAtTurnEnd()
            if clock.now() >= end { return }
        }
    }

    /// Drops all work of a loop that has ended. This breaks the reference cycles of queued work that retains the loop.
    func dropAll() {
        // One by one, as an object that a closure retained may end here and queue more.
        while queue.popFirst() != nil {}
        while resumptions.popFirst() != nil {}
        while endOfTurn.popFirst() != nil {}
        while unflushed.popFirst() != nil {}
        while longWriters.popFirst() != nil {}
        let dropped = timers
        timers = TimerHeap()
        withExtendedLifetime(dropped) {}
    }
}

// Registrations.
extension LoopCore {
    /// Retains `registrant` until `withdraw`. Nothing is watched for it yet.
    func register(_ registrant: any Registrant, descriptor: Int32 = -1) -> RegistrationToken {
        table.add(registrant, descriptor: descriptor)
    }

    /// Sets what a descriptor is watched for. Cheap when nothing changes.
    func setInterest(_ interest: Interest, of token: RegistrationToken) throws(SystemError) {
        guard let entry = table[token], entry.interest != interest, entry.descriptor >= 0 else { return }
        try poller.setInterest(interest, previous: entry.interest, descriptor: entry.descriptor, token: token)
        table.setInterest(interest, of: token)
    }

    /// Ends a registration, before its descriptor is closed. A token that was withdrawn before is ignored.
    func withdraw(_ token: RegistrationToken) {
        // Removing the interest can't fail.
        try? setInterest([], of: token)
        _ = table.remove(token)
    }
}

// Memory that streams share.
extension LoopCore {
    /// Lends the loop's read buffer to `body`; a new buffer when a handler that runs inside `body` makes another stream read.
    func withScratch(_ body: (UnsafeMutableRawBufferPointer) -> Void) {
        guard !isScratchLent else {
            let other = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.scratchBytes, alignment: 16)
            defer { other.deallocate() }
            return body(other)
        }
        isScratchLent = true
        defer { isScratchLent = false }
        body(scratch)
    }
}

/// An object that is called at the end of a loop's turn, once for each time it asked, in order.
package protocol TurnEndHandler: AnyObject {
    func loopWillEndTurn()
}

/// An object that is called once all work that was queued has run.
package protocol ReadyWorkHandler: AnyObject {
    /// Does the object's work. Returns whether that may have taken long, so that the loop reads its clock.
    func readyWorkDidRun() -> Bool
}

/// A stream that sends everything it was given in a turn once, at the very end of the turn.
protocol TurnEndWriter: AnyObject {
    /// Whether the stream has so much to send that streams with less go first.
    var writesMuch: Bool { get }
    func writeAtTurnEnd()
}

/// Work for the end of a turn.
enum TurnEndWork {
    case call(any TurnEndHandler)
    case run(() -> Void)
}
