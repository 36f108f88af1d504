import ViewModels

/// A session's view events on their way to its view model: which are taken, which is handled now, and what the tasks
/// that handle them do next. Pure rules, guarded by the `Session` and acted on by its `HandlerRunner`.
struct ViewEventInbox {
    /// The lane of an event. Events wait for others of their lane alone.
    enum LaneID: Hashable, Sendable {
        /// The lane of all events that belong to no other.
        case main
        /// The lane of events whose schedule isn't known yet: reading it runs code of the view model's. In the order in which
        /// they came, events leave it for the lane that their schedule says.
        case arriving
        case kind(String)

        // A pattern, as `==` would compare kinds.
        var isMain: Bool { if case .main = self { true } else { false } }
    }

    /// The next step of a task that handles events.
    enum Step {
        case handle(HandlerQueue.Running)
        /// The task ends. Another one goes on, where there is anything to do.
        case end
    }

    /// All that is left to be done, with no lock held, when an event has been given its lane.
    struct Placement {
        let lane: LaneID
        /// The event itself, where it was cancelled meanwhile, and has no lane.
        var removed: ViewEventJob?
        /// The waiting event whose place it has taken.
        var superseded: ViewEventJob?
        /// The task of the running event that it supersedes.
        var cancelled: Task<Void, Never>?
        /// The time after which `endDebounce` must be called.
        var timer: Duration?
    }

    /// The main lane, shut until the view model is there and has started.
    private var main = HandlerLane(queue: HandlerQueue(isShut: true))
    private var others: [LaneID: HandlerLane] = [:]
    private var lastID = 0
    /// How many events were ever begun.
    private(set) var startedCount = 0
    var clients = ClientNumbers()
    /// The number of events that were sent again, and aren't answered yet.
    private var repeats = 0
    var unhandled = UnhandledEvents()
    /// Names of events that have arrived, and whether they supersede those of their kind. Of a kind that does, at most one
    /// waits, so it needs no room.
    private var superseding: [String: Bool] = [:]
    private static let maximumNames = 64
    /// Whether the view model is there.
    private(set) var isBound = false
    /// Whether the view model's `start()` has returned.
    private var isStarted = false
    /// Whether the main lane has only its last job left, which waits for the handlers of all other lanes.
    private var isEnding = false

    /// Notes that the view model is there from now on, so that the next task can run in its isolation.
    mutating func bind() {
        isBound = true
    }

    /// Notes that the job which makes and starts the view model has returned. All others follow it. Where it has failed none
    /// does, as the session is about to end.
    mutating func didOpen(_ outcome: ViewEventJob.Outcome) {
        guard case .handled = outcome else { return }
        isStarted = true
        main.queue.open()
    }

    /// Whether this is the job that makes and starts the view model.
    @inline(__always)
    func isOpening(_ id: HandlerQueue.JobID) -> Bool { id == main.queue.opening }

    /// Checks a client's name before a view that carries it is attached.
    func check(_ client: String, _ limits: Limits) throws(SessionError) {
        guard client.utf8.count <= limits.clientBytes else {
            throw .invalid(member: "client", reason: "a name has at most \(limits.clientBytes) bytes")
        }
    }

    /// Judges the number of a view event.
    ///
    /// - Throws: `SessionError.invalid` for a number that the view can't give.
    func judge(_ number: Int, from client: String?) throws(SessionError) -> ClientNumbers.Verdict {
        guard let client else {
            let reason = "only a view that named its client at session/open or session/attach may number its events"
            throw .invalid(member: "number", reason: reason)
        }
        guard number > 0 else { throw .invalid(member: "number", reason: "counts from 1") }
        return clients.judge(number, from: client)
    }

    /// Queues a view event, unless too many wait or its number can't be taken.
    ///
    /// - Parameter verdict: what `judge` says of the event's number, but not `repeated`.
    mutating func submit(
        _ job: ViewEventJob, _ verdict: ClientNumbers.Verdict, _ limits: SharedLimits
    ) throws(SessionError) -> HandlerQueue.JobID {
        if !job.isScheduled || !needsNoRoom(job) { try checkCount(limits) }
        try checkBytes(of: job, limits)
        try take(verdict)
        return submit(job, job.lane)
    }

    /// Gives an event that has arrived its lane.
    ///
    /// - Parameters:
    ///   - schedule: nil for an event that waits for all before it.
    ///   - now: the time by the session's clock.
    /// - Returns: nil where the event was answered, since the session ended.
    mutating func place(
        _ id: HandlerQueue.JobID, _ schedule: ViewEventJob.Schedule?, now: Duration
    ) -> Placement? {
        guard let arrived = with(.arriving, { $0.queue.finish(id) }) else { return nil }
        let job = arrived.job
        let lane: LaneID = schedule.map { $0.event.waits ? .main : .kind($0.kind) } ?? laneOfOriginal(job)
        var placement = Placement(lane: lane)
        guard arrived.interruption == nil else {
            placement.removed = job
            return placement
        }
        if superseding.count < Self.maximumNames { superseding[job.name] = schedule?.event.supersedes ?? false }
        with(lane) { lane in
            guard let schedule else { return lane.queue.append(job, id) }
            if schedule.event.supersedes {
                let newest = lane.queue.newest(ofKind: schedule.kind)
                switch lane.queue.cancel(newest, .superseded) {
                case .removed(let job): placement.superseded = job
                case .running: placement.cancelled = lane.task.cancel()
                case .none: break
                }
                lane.queue.note(id, ofKind: schedule.kind)
            }
            lane.queue.append(job, id)
            let time = job.arrival + schedule.event.debounce
            if time > now, lane.queue.debounce(id, until: time) { placement.timer = time - now }
        }
        return placement
    }

    /// Whether an event takes no room, as it supersedes those of its kind. One whose name wasn't met yet may do so, and takes
    /// none, either, unless other events have arrived before it.
    private func needsNoRoom(_ job: ViewEventJob) -> Bool {
        if let supersedes = superseding[job.name] { return supersedes }
        return superseding.count < Self.maximumNames && others[.arriving]?.queue.waitingCount ?? 0 == 0
    }

    /// Returns the lane of the first event with this number, for which one that was sent again waits.
    private func laneOfOriginal(_ job: ViewEventJob) -> LaneID {
        guard let repeated = job as? RepeatedEvent else { return .main }
        return others.first { $0.value.queue.first { $1.number == repeated.original } != nil }?.key ?? .main
    }

    /// Queues the job that answers, in its turn, a view event whose number was taken before.
    ///
    /// It isn't refused when too many events wait, since its client would then believe that its number wasn't taken. Repeats
    /// have a bound of their own.
    mutating func submit(
        repeat job: RepeatedEvent, _ limits: SharedLimits
    ) throws(SessionError) -> HandlerQueue.JobID {
        guard repeats < limits.values.pendingEvents else {
            let message = "\(repeats) events that were sent again wait in this session; send more when they are done"
            throw .limitExceeded(limit: "pendingEvents", message: message)
        }
        repeats += 1
        return submit(job, job.lane)
    }

    /// Notes that an event which was sent again is about to be answered.
    ///
    /// - Returns: the outcome of the first event with this number, where that wasn't handled, and is known.
    mutating func didAnswerRepeat(of number: ClientNumber) -> ViewEventJob.Outcome? {
        repeats -= 1
        return unhandled.reason(of: number)?.outcome
    }

    /// Queues the job that makes and starts the view model, before all that has come. Called once.
    mutating func submit(opening job: ViewEventJob) -> HandlerQueue.JobID {
        lastID += 1
        main.queue.append(opening: job, lastID)
        return lastID
    }

    /// Queues a job of the session's own.
    mutating func submit(_ job: ViewEventJob) -> HandlerQueue.JobID { submit(job, .main) }

    private mutating func submit(_ job: ViewEventJob, _ lane: LaneID) -> HandlerQueue.JobID {
        lastID += 1
        let id = lastID
        with(lane) { $0.queue.append(job, id) }
        return id
    }

    /// Queues the last job, when all others have been removed. It comes after every handler that was cancelled has returned.
    mutating func submit(last job: ViewEventJob) {
        isEnding = true
        main.queue.open()
        _ = submit(job)
    }

    private mutating func with<Result>(_ lane: LaneID, _ body: (inout HandlerLane) -> Result) -> Result {
        guard !lane.isMain else { return body(&main) }
        return body(&others[lane, default: HandlerLane()])
    }

    /// The event that runs in a lane.
    func running(in lane: LaneID) -> HandlerQueue.Running? {
        lane.isMain ? main.queue.running : others[lane]?.queue.running
    }

    /// An event that is handled now, in any lane; nil where there is none.
    var running: HandlerQueue.Running? {
        guard main.queue.running == nil, !others.isEmpty else { return main.queue.running }
        return others.lazy.filter { $0.key != .arriving }.compactMap(\.value.queue.running).first
    }

    var isRunning: Bool { running != nil }
    var isWaiting: Bool { waitingCount > 0 || running(in: .arriving) != nil }

    @inline(__always)
    private var waitingCount: Int {
        guard !others.isEmpty else { return main.queue.waitingCount }
        return others.values.reduce(main.queue.waitingCount) { $0 + $1.queue.waitingCount }
    }

    @inline(__always)
    private var waitingBytes: Int {
        guard !others.isEmpty else { return main.queue.waitingBytes }
        return others.values.reduce(main.queue.waitingBytes) { $0 + $1.queue.waitingBytes }
    }

    // One member of the limits is read at a time, since a copy of all costs more than the check. Inlined, as a call copies the
    // inbox.

    @inline(__always)
    private func checkCount(_ limits: SharedLimits) throws(SessionError) {
        let pendingEvents = limits.values.pendingEvents
        guard waitingCount < pendingEvents else {
            let message = "\(pendingEvents) view events wait in this session; send more when they are answered"
            throw .limitExceeded(limit: "pendingEvents", message: message)
        }
    }

    @inline(__always)
    private func checkBytes(of job: ViewEventJob, _ limits: SharedLimits) throws(SessionError) {
        let pendingBytes = limits.values.pendingBytes
        guard waitingBytes + job.request.bytes <= pendingBytes || waitingCount == 0 else {
            let message = "\(pendingBytes) bytes wait in this session; send more when some are done"
            throw .limitExceeded(limit: "pendingBytes", message: message)
        }
    }

    private mutating func take(_ verdict: ClientNumbers.Verdict) throws(SessionError) {
        switch verdict {
        case .unnumbered, .repeated: break
        case .early(let number, let expected):
            throw .invalid(member: "number", reason: "\(number) came where \(expected) is next; send that one first")
        case .new(let number): clients.take(number)
        }
    }

    /// Cancels an event. Returns the job to answer, when it waited, or the task to cancel, when it runs and that
    /// is known.
    ///
    /// An event that was sent again stands for the first one with its number, and is answered as that is.
    mutating func cancel(_ id: HandlerQueue.JobID) -> (removed: ViewEventJob?, running: Task<Void, Never>?) {
        var id = id
        if let repeated = job(where: { other, _ in other == id })?.job as? RepeatedEvent {
            guard let original = job(where: { $1.number == repeated.original }) else { return (nil, nil) }
            id = original.id
        }
        for lane in lanes {
            switch with(lane, { $0.queue.cancel(id) }) {
            case .removed(let job): return (job, nil)
            case .running: return (nil, with(lane) { $0.task.cancel() })
            case .none: break
            }
        }
        return (nil, nil)
    }

    private func job(
        where condition: (HandlerQueue.JobID, ViewEventJob) -> Bool
    ) -> (id: HandlerQueue.JobID, job: ViewEventJob)? {
        main.queue.first(where: condition) ?? others.values.compactMap { $0.queue.first(where: condition) }.first
    }

    private var lanes: [LaneID] { [.main] + others.keys }

    /// Ends an event that has been handled. Returns nil when it was answered before, since the session ended.
    mutating func finish(_ id: HandlerQueue.JobID, in lane: LaneID) -> HandlerQueue.Running? {
        with(lane) { $0.queue.finish(id) }
    }

    /// Takes out all events, those that run first, for a session that ends, and returns the tasks that must
    /// be cancelled.
    mutating func removeAll() -> (jobs: [ViewEventJob], running: [Task<Void, Never>]) {
        var jobs: [ViewEventJob] = []
        var running: [Task<Void, Never>] = []
        for lane in lanes {
            with(lane) { lane in
                let (isRunning, removed) = lane.queue.removeAll()
                jobs += removed
                if isRunning, let task = lane.task.cancel() { running.append(task) }
            }
        }
        return (jobs, running)
    }

    /// Takes out the events that wait, one that is being given its lane among them; those that are handled go on.
    mutating func removeWaiting() -> [ViewEventJob] {
        lanes.flatMap { lane in
            with(lane) { lane == .arriving ? $0.queue.removeAll().jobs : $0.queue.removeWaiting() }
        }
    }
}

// The tasks that handle events, one to a lane.
extension ViewEventInbox {
    /// Returns the next step of a task; nil where nothing waits, or the last event isn't finished yet. Then the task waits,
    /// until `wake` resumes the continuation.
    ///
    /// - Parameter isNeeded: whether the session has views, so that the task stays when nothing waits.
    mutating func next(
        in lane: LaneID, orWait continuation: UnsafeContinuation<Step, Never>, isNeeded: Bool
    ) -> Step? {
        if lane.isMain, isHeld {
            main.task.end()
            return .end
        }
        let isBound = isBound
        let step = with(lane) { $0.next(orWait: continuation, isBound: isBound, isNeeded: isNeeded) }
        if case .handle? = step { startedCount += 1 }
        return step
    }

    /// Whether the last job waits for the handlers of other lanes. Inlined, as a call copies the inbox.
    @inline(__always)
    private var isHeld: Bool { isEnding && others.values.contains { !$0.task.isOver } }

    /// Returns how to wake a lane's task. Called after each change that may give the task something to do, or end it.
    mutating func wake(_ lane: LaneID, isNeeded: Bool) -> HandlerTask.Wake {
        guard lane.isMain ? !isHeld : isStarted else { return .nothing }
        let isBound = isBound
        let wake = with(lane) { $0.wake(isBound: isBound, isNeeded: isNeeded) }
        if case .resume(_, .handle) = wake { startedCount += 1 }
        return wake
    }

    /// Wakes all lanes but the main one.
    mutating func wakeOthers(isNeeded: Bool) -> [(lane: LaneID, wake: HandlerTask.Wake)] {
        guard !others.isEmpty else { return [] }
        return Array(others.keys).map { ($0, wake($0, isNeeded: isNeeded)) }
    }

    /// Notes the task that `wake` asked for. Returns true when it must be cancelled.
    mutating func note(_ started: Task<Void, Never>, number: Int, in lane: LaneID) -> Bool {
        with(lane) { $0.task.note(started, number: number) }
    }

    /// Ends the debounce of a lane's event, whose time has come.
    ///
    /// - Returns: the time after which this must be called again; nil where there is none.
    mutating func endDebounce(in lane: LaneID, now: Duration) -> Duration? {
        with(lane) { $0.queue.endDebounce(now: now) }
    }
}
