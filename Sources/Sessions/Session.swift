import Queues
import Synchronization
package import ViewModels

/// One hosted view model: its events are numbered and kept, its view events handled one at a time, its views anywhere.
///
/// Any thread may call any member, and none waits for the view model or a view. Handlers run on the context's executor,
/// on which a default actor runs too. One lock guards the state, and nothing is called while it is held.
// Over 400 lines because what views and lists ask of a session, in Viewing, is an extension of it.
package final class Session: Sendable {
    /// The secret by which clients attach: 128 random bits or more.
    package let key: String
    /// The number by which the log names the session, as its key is secret.
    package let number: Int
    /// The name that the view model was registered under.
    package let viewModelName: String
    /// The scene that shows this session; nil where the session can't show others.
    package let scene: Scene?
    /// Whether the session was pushed or presented, and so can be taken off the screen.
    package let isChild: Bool
    let context: SessionContext
    /// The session's place in the store; nil where the session isn't durable.
    package let storage: SessionStorage?
    package let model: any SessionModel
    let state: Mutex<SessionState>
    /// The mark of this session's handlers. Nil for a root that isn't durable, as nobody asks there whose handler has an
    /// effect.
    let mark: TurnMark?
    /// Whether something may have to be handed to the journal. If so, a turn of another session looks. Set with the lock held.
    let mayBeAwaited = Atomic(false)

    package init(
        key: String,
        number: Int = 0,
        viewModelName: String,
        model: any SessionModel,
        scene: Scene? = nil,
        isChild: Bool = false,
        storage: SessionStorage? = nil,
        context: SessionContext
    ) {
        self.key = key
        self.number = number
        self.viewModelName = viewModelName
        self.model = model
        self.scene = scene
        self.isChild = isChild
        self.context = context
        // The log takes the entries over.
        self.storage = storage?.withoutEntries
        state = Mutex(SessionState(limits: context.limits, stored: storage?.firstTurn, readKey: storage?.readKey))
        mark = isChild || storage != nil ? TurnMark() : nil
        context.limits.kept.add(KeptBytes.sessionBytes)
        mark?.name(self)
    }

    deinit {
        context.limits.kept.add(-KeptBytes.sessionBytes - state.withLock { $0.feed.countedBytes })
    }

    var limits: Limits { context.limits.values }

    /// Whether `open` hasn't been called yet.
    package var awaitsOpening: Bool { state.withLock { $0.lifetime.awaitsOpening } }

    /// Whether the view model is being made, and nobody was told yet that it is there.
    package var isBeingOpened: Bool { state.withLock { $0.lifetime.isBeingOpened } }

    /// The executor on which handlers begin.
    package var executor: any TaskExecutor { context.executor }

    /// Makes the view model and starts it, before any view event is handled. Called when the first view is attached; where
    /// it is called again, both callers wait for the same.
    ///
    /// - Parameters:
    ///   - client: the client that opens the session, which the view model may ask for while it is made and started.
    ///   - ready: called once the view model is there and, for the first caller, before it starts.
    ///   - failed: called instead of `ready`, when the view model couldn't be made or the session was closed before.
    ///   - started: called last; for the first caller, once the view model has started or never will.
    /// - Returns: the number that `cancel(_:)` takes, which ends the opening for all callers; 0 where it is over.
    package func open(
        for client: Client? = nil,
        ready: @escaping @Sendable () -> Void,
        failed: @escaping @Sendable (ViewEventJob.Outcome) -> Void,
        started: @escaping @Sendable () -> Void
    ) -> Int {
        let first = OpeningWaiter(ready: ready, failed: failed)
        let later = first.then(started)
        // Nearly always it was opened before: then there is nothing to make.
        var job: ClosureJob?
        if awaitsOpening {
            job = ClosureJob(
                "start",
                handle: { [self] in try await LifeRunner(session: self).open(for: client) },
                complete: { [self] outcome in
                    didOpen(outcome)
                    started()
                })
        }
        switch state.withLock({ $0.open(job, for: first, orJoinAs: later) }) {
        case .began(let id, let wake):
            HandlerRunner(session: self).obey(wake)
            return id
        case .joined(let id):
            return id
        case .isReady:
            // The session may still be on its way to the store, for the caller that made it.
            TurnCommitter(session: self).whenMade { later.take($0) }
        case .isOver(nil):
            job?.finish(.sessionEnded)
        case .isOver(let error?):
            later.failed(error == .ended ? .sessionEnded : .failed(error))
        }
        return HandlerQueue.noJob
    }

    /// Answers those who wait for the view model, which is bound and about to start. Called once, by the `SessionModel`.
    package func modelIsReady() {
        let waiters = state.withLock { state in
            state.inbox.bind()
            return state.lifetime.endOpening()
        }
        guard let waiters else { return }
        TurnCommitter(session: self).store { outcome in
            for waiter in waiters { waiter.take(outcome) }
        }
    }

    /// Whether the session is new, and not in the store yet.
    package var isBeingMade: Bool {
        !isRestored && state.withLock { $0.kept?.isMade == false && !$0.isOver }
    }

    private func didOpen(_ outcome: ViewEventJob.Outcome) {
        // What can't go on now may do so in another build: it stays in the store.
        var failure: SessionError?
        if case .failed(let error) = outcome, isRestored {
            failure = .failed("the session can't go on, and stays in the store: \(error)")
        }
        let waiters = state.withLock { [failure] state in
            state.failure = failure
            return state.lifetime.endOpening()
        }
        for waiter in waiters ?? [] { waiter.failed(outcome) }
        switch outcome {
        case .handled: HandlerRunner(session: self).wake()
        case .failed(let error):
            if waiters == nil || isRestored { FailedStart(session: self, error: error).report() }
            if let failure { SessionEviction(session: self).fail(failure) } else { end(.failed) }
        case .cancelled, .superseded, .sessionEnded, .lost: end(.closed)
        }
    }

    /// Queues a view event from one of this session's views.
    ///
    /// - Parameter number: the client's own number for it, where it counts. A number that was taken before is answered
    ///   in its turn without being handled.
    /// - Returns: the number that `cancel(_:)` takes.
    /// - Throws: `SessionError.ended` where the session or the view is gone, `.replaced` where the view's client has attached
    ///   again, `.limitExceeded` where too much waits or is held, `.storeUnavailable` while nothing can be stored, `.invalid`
    ///   for a number that can't be taken. Then `job` is never answered.
    package func submit(_ job: ViewEventJob, from view: Int, number: Int?) throws(SessionError) -> Int {
        // An event that was sent again may still be stored: its client mustn't be told that its number is free.
        if let failure = storage?.failure ?? shareRefusal, !state.withLock({ $0.isRepeated(number, from: view) }) {
            throw failure
        }
        let lane = job.lane
        if !lane.isMain { job.arrival = context.elapsed() }
        let (id, wake, hasTakenMuch) = try state.withLock { state throws(SessionError) in
            let before = state.takenMebibytes
            let id = try state.submit(job, from: view, number: number, context.limits) {
                RepeatedEvent(job, $0, in: self)
            }
            return (id, state.wakeHandlers(of: lane), state.takenMebibytes != before)
        }
        HandlerRunner(session: self, lane: lane).obey(wake)
        if hasTakenMuch { context.onTake() }
        return id
    }

    private var shareRefusal: SessionError? {
        guard let scene, scene.takesNoMore else { return nil }
        context.onTake()
        return .aboveShare(context.limits.values.addressBytes)
    }

    /// Cancels a view event: one that waits is answered at once, one that runs is answered when its handler returns.
    package func cancel(_ id: Int) {
        let (removed, running) = state.withLock { $0.inbox.cancel(id) }
        if let removed { TurnCommitter(session: self).finish(removed, .cancelled) }
        running?.cancel()
    }

    /// Numbers an event of the view model, and wakes the views. Called by the `SessionModel`.
    ///
    /// - Parameters:
    ///   - payload: the event's JSON text.
    ///   - key: an earlier event with the same key becomes needless; nil for an event that every view must see.
    package func append(_ payload: [UInt8], key: String? = nil) {
        let turn = context.turn()
        guard let committer = storage?.committer else {
            return state.withLock({ $0.append(.event(payload), key: key, turn: turn) }).send()
        }
        let isOwn = committer.noteEffect(on: self)
        state.withLock { state in
            mayBeAwaited.store(true, ordering: .releasing)
            return state.append(.event(payload), key: key, turn: turn, isOwn: isOwn)
        }.send()
        TurnCommitter(session: self).save()
    }

    /// Notes an event of the view model that can't be sent, and takes no number. Views that miss it get a snapshot when they
    /// attach.
    func miss(eventWithKey key: String?) {
        state.withLock { state in
            state.feed.miss(key: key)
            if state.kept != nil { mayBeAwaited.store(true, ordering: .releasing) }
        }
        if isDurable { TurnCommitter(session: self).save() }
    }

    /// Numbers a change of what is on and over this session, among its events. No view is woken yet, so that this may
    /// be called under a scene's lock.
    ///
    /// - Returns: the wakeups to send, once, with no lock held.
    func append(_ change: NavigationChange) -> Wakeups {
        let turn = context.turn()
        let isOwn = storage?.committer.noteEffect(on: self) ?? true
        var wakeups = state.withLock { state in
            mayBeAwaited.store(true, ordering: .releasing)
            return state.append(.navigation(change), turn: turn, isOwn: isOwn)
        }
        if isDurable { wakeups.unstored = self }
        return wakeups
    }

    /// The view model, where it has a say before the user goes back from this session.
    var backHandling: (any BackHandling)? { model.backHandling }

    /// Whether `end(_:)` or `takeOff(_:)` has been called.
    package var hasEnded: Bool { state.withLock { $0.isOver } }

    /// Why the session has ended; nil as long as it hasn't.
    package var endReason: EndReason? { state.withLock { $0.feed.end } }

    /// Ends the session for everyone: its handler is cancelled, all that waited or ran is answered, and everything that
    /// is on or over the session ends with it. Then the view model is stopped.
    package func end(_ reason: EndReason) {
        end(reason) { _ in true }
    }

    func end(_ reason: EndReason, where condition: (SessionState) -> Bool) {
        let storedEnd = StoredEnd(of: self)
        let isStored = storedEnd.isAwaited
        guard let ending = state.withLock({ condition($0) ? $0.end(reason, isStored: isStored) : nil }) else { return }
        for task in ending.tasks { task.cancel() }
        for waiter in ending.streams { waiter.resume() }
        storedEnd.whenTold { ending.answer($0) }
        ending.wakeups.send()
        model.close()
        SharedRunner(session: self).close(isGone: reason != .serverShutdown && ending.isGone)
        if ending.mustStop { LifeRunner(session: self).stop(after: ending.running) }
        HandlerRunner(session: self).wake()
        scene?.didEnd(self, reason, isRemoved: ending.isRemoved, holdsEnd: ending.holdsEnd)
        context.onEnd(self)
    }

    /// Ends the session, since it was taken off the screen. Where a handler of its own asked for that, it may finish,
    /// and is answered, first.
    func takeOff(_ reason: EndReason) {
        guard let mark, HandlerRunner.current === mark, let jobs = state.withLock({ $0.takeOff(reason) }) else {
            return end(reason)
        }
        StoredEnd(of: self).whenTold { outcome in
            for job in jobs { job.finish(outcome.isLost ? .lost : .sessionEnded) }
        }
        // The handler doesn't get for ever, as nothing shows its session any more.
        let timer = context.executor.schedule(after: limits.drainGrace, by: context.clock) { [weak self] in
            self?.end(reason)
        }
        if !state.withLock({ $0.keep(graceTimer: timer) }) { timer.cancel() }
    }
}
