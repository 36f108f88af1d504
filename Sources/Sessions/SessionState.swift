import JSON

/// The state that a session's one lock guards: four parts with rules of their own, and the rules between them. Pure.
// Over 400 lines because everything that a session's one lock guards meets here.
struct SessionState {
    /// The outcome of a call of `Session.open`.
    enum Opening {
        case began(HandlerQueue.JobID, HandlerTask.Wake)
        /// The job of an earlier call goes on for this one too.
        case joined(HandlerQueue.JobID)
        case isReady
        /// The session takes nothing new, for this reason. Nil for the first caller, which learns that from its own job.
        case isOver(SessionError?)
    }

    /// Everything that is left to be done, with no lock held, when a session has ended.
    struct Ending {
        let arrivals: [Arrival]
        /// Why the session can't go on for now, though it stays stored. Clients that wait to attach are told so.
        let failure: SessionError?
        let wakeups: Wakeups
        let jobs: [ViewEventJob]
        /// The tasks to cancel.
        let tasks: [Task<Void, Never>]
        let streams: [StreamWaiter]
        /// Actions that wait for something to be stored, which never will be.
        let storeActions: [StoreCompletion]
        /// Whether the end must be stored before anybody is told or answered. Whoever ended the session sees to that.
        let holdsEnd: Bool
        /// Whether the session is removed from the store, too.
        let isRemoved: Bool
        /// Whether the session has no later life, unless the server ends.
        let isGone: Bool
        /// Whether the session goes on at another server, or in a later life.
        let isLost: Bool
        let mustStop: Bool
        /// The job that runs; it is among `jobs`.
        let running: ViewEventJob?
    }

    var feed: SessionFeed
    var inbox = ViewEventInbox()
    var lifetime = SessionLife()
    var streams = StreamWaiters()
    var life = ModelLife()
    /// Bytes of JSON text that the view model was given, and may keep.
    var takenBytes = 0
    /// How many MiB view events have brought.
    var takenMebibytes: Int { takenBytes >> 20 }
    /// What is in the store; nil where the session isn't durable.
    @Rare var kept: PendingTurns?
    /// The shared sessions that the view model has Views of; nil where it has none.
    @Rare var shared: SharedViews?
    /// The title of the view model; nil where it never had one.
    @Rare var title: SessionTitle?
    /// The key by which the session is looked at and nothing else; nil where nobody has asked for one.
    @Rare var readKey: String?
    /// Whether the session goes on at another server, or in a later life.
    var isLost = false
    /// Whether the session is about to leave memory: a view that came now would be told nothing.
    var isLeaving = false
    /// Why this life of the session has failed, where a later one goes on. Clients that attach are told so.
    @Rare var failure: SessionError?
    /// The actions to call, once each, when the end is stored and may be told.
    private var endWaiters: [StoreCompletion] = []

    /// - Parameters:
    ///   - stored: a durable session's turns so far; nil where nothing is stored of it.
    ///   - readKey: the key for readers that is stored.
    init(limits: SharedLimits, stored: StoredTurn?, readKey: String? = nil) {
        _readKey = Rare(wrappedValue: readKey)
        guard let stored else {
            feed = SessionFeed(limits: limits)
            return
        }
        feed = SessionFeed(limits: limits, stored: stored)
        kept = PendingTurns(stored)
        // An older store doesn't note whether names were forgotten: they may have been, where it has as many as may be kept.
        let hasForgotten = stored.hasForgottenClients || stored.clients.count >= limits.values.clients
        inbox.clients.restore(stored.clients, hasForgotten: hasForgotten)
        inbox.unhandled = UnhandledEvents(stored: stored.notes?.unhandled ?? [])
        if let text = stored.notes?.title { title = SessionTitle(stored: text) }
        if let notes = stored.notes?.shared {
            shared = SharedViews()
            shared?.restored = notes
        }
        forgetNames()
    }

    /// Whether the view model has, or had in an earlier life, a View of a shared session.
    @inline(__always)
    var hasShared: Bool { !_shared.isUnused }

    /// Whether everything that the session has numbered is stored, and so are the first values of its view model.
    var isStored: Bool { kept.map { feed.log.newest <= $0.stored && $0.hasStoredValues } ?? true }

    /// Whether nothing new is taken.
    var isOver: Bool { feed.end != nil || lifetime.takenOff != nil || isLeaving }

    /// Why nothing is taken, where the session is over.
    var endError: SessionError {
        if isLeaving, feed.end == nil { return .storeUnavailable("the session leaves memory, and is made again") }
        if feed.holdsEnd { return .storeUnavailable("the session ends, and that isn't stored yet") }
        return isLost ? .lost : .ended
    }

    /// Why a view can't be attached. After a failure it may be attached later.
    var attachingError: SessionError { failure ?? endError }

    /// The outcome for what isn't stored when the session is over.
    var unstoredOutcome: StoreOutcome { isLost ? .lostSession : .endedSession }

    /// Whether the session may leave memory: it has no views, nothing runs or waits in it, and all of it is stored.
    var mayLeave: Bool {
        guard !isOver, feed.views.isEmpty, !inbox.isRunning, shared?.isQuiet ?? true else { return false }
        guard let kept else { return true }
        return kept.isStored && !kept.hasSaveJob && !kept.isDirty(feed.log) && !inbox.isWaiting
    }

    /// Begins to leave memory, where that is allowed. Returns whether it is.
    mutating func beginLeaving() -> Bool {
        guard mayLeave else { return false }
        isLeaving = true
        return true
    }

    /// Whether something is still to be handed to the journal that a turn of another session may have caused. What a running
    /// handler of this session has sent by itself waits for that handler alone.
    var isAwaited: Bool {
        guard let kept, !isOver, kept.isDirty(feed.log) else { return false }
        return !inbox.isRunning || kept.hasEffectsOfOthers
    }

    /// Whether a handler runs whose turn is to be stored.
    var isInTurn: Bool { kept != nil && feed.end == nil && inbox.isRunning }

    /// Whether no client holds a view, and no timer is set yet to end the session.
    var isAbandoned: Bool { feed.views.isEmpty && feed.end == nil && !lifetime.hasTimer }

    /// Numbers `content`. Events of one `turn` are marked to follow each other at once, but not those of two handlers in one
    /// turn: an answer comes between these.
    ///
    /// - Parameter isOwn: whether a handler of this session has caused it.
    mutating func append(
        _ content: SessionLog.Content, key: String? = nil, turn: UInt64, isOwn: Bool = true
    ) -> Wakeups {
        if !isOwn { kept?.hasEffectsOfOthers = true }
        let stretch = turn == 0 ? 0 : turn << 20 | UInt64(truncatingIfNeeded: inbox.startedCount) & 0xF_FFFF
        return feed.append(content, key: key, turn: stretch)
    }

    /// - Parameter job: nil where the session was opened before.
    mutating func open(
        _ job: ViewEventJob?, for first: OpeningWaiter, orJoinAs later: OpeningWaiter
    ) -> Opening {
        guard lifetime.awaitsOpening, let job else {
            if let id = lifetime.joinOpening(later) { return .joined(id) }
            return isOver || failure != nil ? .isOver(attachingError) : .isReady
        }
        guard !isOver else {
            lifetime.beginOpening(HandlerQueue.noJob, for: first)
            return .isOver(nil)
        }
        let id = inbox.submit(opening: job)
        lifetime.beginOpening(id, for: first)
        return .began(id, wakeHandlers())
    }

    /// Checks that a client's view can be attached.
    func checkAttaching(_ client: String?, _ limits: Limits) throws(SessionError) {
        guard !isOver, failure == nil else { throw attachingError }
        if let client { try inbox.check(client, limits) }
    }

    mutating func attach(
        _ viewer: any SessionViewer, number: Int, client: String?, after seen: Int?, isComplete: Bool = true,
        arrival: Arrival? = nil
    ) -> Int {
        lifetime.cancelTimer()
        let view = feed.attach(
            viewer, number: number, client: client, after: seen, isComplete: isComplete, arrival: arrival)
        if let client { inbox.clients.attach(client, view) }
        return view
    }

    /// Ends the view that has the name under which a client is about to attach, as this client has come back. A view that waits
    /// for its snapshot is answered first, and then told of its end.
    ///
    /// - Returns: a wakeup for the view, where it has to be woken.
    mutating func replaceView(of client: String?) -> Wakeup? {
        guard let client, let view = inbox.clients.view(of: client) else { return nil }
        return feed.replace(view)
    }

    /// Detaches a view, and returns it; nil when it was gone already.
    mutating func detach(_ id: Int) -> SessionView? {
        guard let view = feed.detach(id) else { return nil }
        if let client = view.client {
            inbox.clients.detach(client, id)
            forgetNames()
        }
        return view
    }

    /// Takes what a view is sent next, as `SessionFeed.take` does. A view that has ended without its session is detached then.
    mutating func take(_ id: Int, upTo last: Int?, maximumBytes: Int) -> ViewDelivery {
        let delivery = feed.take(id, upTo: last, maximumBytes: maximumBytes)
        if delivery.end != nil {
            inbox.clients.detach(id)
            forgetNames()
        }
        return delivery
    }

    private mutating func forgetNames() {
        let kept = kept
        while let name = inbox.clients.forgetOne(
            beyond: feed.limits.values.clients, where: { kept?.isDone($0) ?? true })
        {
            self.kept?.forget(name)
            inbox.unhandled.forget(name)
        }
    }

    /// Returns the answer to a client whose view is attached.
    func attachment(of view: Int, _ client: String?, snapshot: SharedText? = nil) -> Session.Attachment {
        let newest = snapshot == nil ? feed.newest : feed.log.newest
        return Session.Attachment(
            view: view, newest: newest, snapshot: snapshot,
            handled: client.flatMap { handled(of: $0) },
            navigation: feed.navigation(at: feed.views[view]?.cursor?.number ?? newest))
    }

    /// Returns the highest number that was taken from a client; nil where that isn't known any more.
    private func handled(of client: String) -> Int? {
        guard inbox.clients.isSure(of: client) else { return nil }
        return inbox.clients.highest(of: client)
    }

    /// Whether a view event's number was taken before.
    func isRepeated(_ number: Int?, from view: Int) -> Bool {
        guard let number, let client = feed.views[view]?.client else { return false }
        guard case .repeated = inbox.clients.judge(number, from: client) else { return false }
        return true
    }

    /// - Parameter repeated: makes what answers an event whose number was taken before.
    mutating func submit(
        _ job: ViewEventJob, from view: Int, number: Int?, _ limits: SharedLimits,
        repeated: (ClientNumber) -> RepeatedEvent
    ) throws(SessionError) -> HandlerQueue.JobID {
        let verdict = try judge(number, from: view)
        if case .repeated(let original) = verdict { return try inbox.submit(repeat: repeated(original), limits) }
        let id = try inbox.submit(job, verdict, limits)
        didTake(job, verdict)
        return id
    }

    /// Gives an event that has arrived its lane.
    mutating func place(
        _ id: HandlerQueue.JobID, _ schedule: ViewEventJob.Schedule?, now: Duration
    ) -> (ViewEventInbox.Placement, HandlerTask.Wake)? {
        guard let placement = inbox.place(id, kept == nil ? schedule : schedule?.inTurn, now: now) else { return nil }
        return (placement, wakeHandlers(of: placement.lane))
    }

    private func judge(_ number: Int?, from view: Int) throws(SessionError) -> ClientNumbers.Verdict {
        guard !isOver, let index = feed.views.index(of: view) else { throw endError }
        guard let number else { return .unnumbered }
        // The view's name is another view's by now.
        if case .replaced? = feed.views.elements[index].end { throw .replaced }
        return try inbox.judge(number, from: feed.views.elements[index].client)
    }

    private mutating func didTake(_ job: ViewEventJob, _ verdict: ClientNumbers.Verdict) {
        takenBytes &+= job.request.bytes
        guard case .new(let number) = verdict else { return }
        job.number = number
        // This may be the first number of one name too many.
        if number.number == 1 { forgetNames() }
    }

    /// Whether the handlers' task is kept: while there are views, which may send more.
    private var isHandlerNeeded: Bool { !feed.views.isEmpty && !isOver }

    mutating func wakeHandlers(of lane: ViewEventInbox.LaneID = .main) -> HandlerTask.Wake {
        inbox.wake(lane, isNeeded: isHandlerNeeded)
    }

    mutating func wakeOtherHandlers() -> [(lane: ViewEventInbox.LaneID, wake: HandlerTask.Wake)] {
        inbox.wakeOthers(isNeeded: isHandlerNeeded)
    }

    mutating func nextHandler(
        in lane: ViewEventInbox.LaneID, orWait continuation: UnsafeContinuation<ViewEventInbox.Step, Never>
    ) -> ViewEventInbox.Step? {
        inbox.next(in: lane, orWait: continuation, isNeeded: isHandlerNeeded)
    }

    /// Ends the session. Nil when it has ended already.
    ///
    /// - Parameter isStored: whether a later life would have the session unless its end is stored.
    mutating func end(_ reason: EndReason, isStored: Bool) -> Ending? {
        // Nobody is told of an end in memory alone: clients see their connections close, and come back.
        if reason == .serverShutdown, isLost || kept?.staysStored == true { feed.forgetViews() }
        let isHeldBefore = feed.holdsEnd
        if isStored, reason != .serverShutdown, kept?.staysStored != true { feed.holdEnd() }
        guard let (arrivals, wakeups) = feed.end(reason) else { return nil }
        lifetime.cancelTimer()
        let (mustStop, running) = (mustStop, inbox.running?.job)
        let (jobs, handlers) = inbox.removeAll()
        return Ending(
            arrivals: arrivals, failure: failure, wakeups: wakeups, jobs: jobs,
            tasks: feed.snapshots.abandon() + handlers,
            streams: streams.removeAll(), storeActions: kept?.end() ?? [],
            holdsEnd: feed.holdsEnd && !isHeldBefore, isRemoved: kept?.staysStored == false,
            isGone: kept?.staysStored != true, isLost: isLost, mustStop: mustStop, running: running)
    }

    /// Has `action` called once the end is stored. Returns false, and keeps nothing, where no end waits for that.
    mutating func awaitStoredEnd(_ action: @escaping StoreCompletion) -> Bool {
        guard feed.holdsEnd, isOver else { return false }
        endWaiters.append(action)
        return true
    }

    /// Lets views be told of the end. Returns the actions that waited for that.
    ///
    /// - Parameter reason: replaces the reason of the end; nil leaves it.
    mutating func releaseEnd(as reason: EndReason?) -> (Wakeups, [StoreCompletion]) {
        guard feed.holdsEnd else { return (Wakeups(), []) }
        defer { endWaiters = [] }
        return (feed.releaseEnd(as: reason), endWaiters)
    }

    /// Lets the running handlers finish before the session ends, and returns the jobs that waited. Nil when
    /// none runs.
    mutating func takeOff(_ reason: EndReason) -> [ViewEventJob]? {
        guard !isOver, inbox.isRunning else { return nil }
        lifetime.takeOff(reason)
        return inbox.removeWaiting()
    }

    /// Keeps the timer that ends a session that was taken off. False when it isn't needed any more.
    mutating func keep(graceTimer: Task<Void, Never>) -> Bool {
        guard feed.end == nil, lifetime.takenOff != nil else { return false }
        lifetime.setTimer(.task(graceTimer))
        return true
    }

    /// Keeps the timer of a session whose last view was detached, at the time `now`. False when it isn't needed
    /// any more.
    mutating func keep(resumeTimer: SessionLife.Timer, now: Duration) -> Bool {
        guard isAbandoned else { return false }
        lifetime.setTimer(resumeTimer)
        if feed.hadViews { lifetime.lastViewDetached = now }
        return true
    }

    /// Lets the session go on without views for longer. False when a view has come back, or the session is over.
    mutating func renew(resumeTimer: SessionLife.Timer) -> Bool {
        guard !isOver, feed.views.isEmpty else { return false }
        lifetime.setTimer(resumeTimer)
        return true
    }
}

extension SessionState.Ending {
    /// Answers everything that was to happen in the session.
    ///
    /// - Parameter outcome: the outcome of storing the end.
    func answer(_ outcome: StoreOutcome) {
        let error = outcome.error
        for job in jobs {
            switch error {
            case nil: job.finish(.sessionEnded)
            case .lost?: job.finish(.lost)
            case let error?: job.finish(.failed(error))
            }
        }
        for arrival in arrivals { arrival.fail(error ?? failure ?? .ended) }
        for action in storeActions { action(outcome.isStored ? .endedSession : outcome) }
    }
}

extension StoreOutcome {
    /// The error of a request that ends a session.
    package var error: SessionError? {
        switch self {
        case .stored: nil
        case .refused(let reason): .storeUnavailable(reason)
        case .lost: .lost
        }
    }

    static let endedSession = StoreOutcome.refused("the session has ended")
    static let lostSession = StoreOutcome.lost("the session goes on at another server")
}
