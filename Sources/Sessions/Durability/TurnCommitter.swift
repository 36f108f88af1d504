import Synchronization
import ViewModels

/// Brings the turns of a durable session to its store, and tells what is stored.
struct TurnCommitter {
    /// How often a state is read at most, as events may be sent meanwhile.
    private static let readAttempts = 1_000

    let session: Session

    /// Calls `action` when everything that was numbered so far is stored: at once where it is, and where the session isn't
    /// durable.
    func whenStored(_ action: @escaping StoreCompletion) {
        let outcome = session.state.withLock { state -> StoreOutcome? in
            // The numbers are stored together with the end.
            if state.awaitStoredEnd({ action($0.isStored ? .endedSession : $0) }) { return nil }
            guard !state.isStored else { return .stored }
            // Nothing is stored any more.
            guard !state.isOver else { return state.unstoredOutcome }
            let newest = state.feed.log.newest
            state.kept?.wait(for: newest, action)
            return nil
        }
        if let outcome { action(outcome) }
    }

    /// Calls `action` when what the view model has just told in a snapshot or in rows is stored. That may include changes by a
    /// handler that is under way or by a task of the view model's own, and values of shared objects.
    func whenStateStored(_ action: @escaping StoreCompletion) {
        guard session.isDurable else { return whenStored(action) }
        // Values are encoded by the user's code, so this has an executor of its own.
        let executor = HandlerExecutor.make("saved values", of: session)
        Task.detached(executorPreference: executor ?? session.context.executor) { [self] in
            let hasChanges =
                await session.model.hasUnsavedChanges() || session.storage?.committer.hasUnhandedShared == true
            let (isReady, wake) = session.state.withLock { state -> (Bool, HandlerTask.Wake) in
                guard !state.isOver else { return (true, .nothing) }
                let turn = state.kept?.waitForState(hasChanges) { [self] _ in whenStoredWithShared(action) }
                guard let turn, !turn.isStored else { return (true, .nothing) }
                // The end of a running handler hands the state over, and so does a save job.
                let isAwaited = state.inbox.isRunning || state.kept?.hasSaveJob == true
                return (false, turn.needsTurn && !isAwaited ? state.submitSaveJob() : .nothing)
            }
            HandlerRunner(session: session).obey(wake)
            if isReady { whenStoredWithShared(action) }
        }
    }

    private func whenStoredWithShared(_ action: @escaping StoreCompletion) {
        whenStored { [committer = session.storage?.committer] outcome in
            guard outcome.isStored, let committer else { return action(outcome) }
            committer.whenSharedStored(action)
        }
    }

    /// Answers a view event that won't be handled.
    func finish(_ removed: ViewEventJob, _ reason: UnhandledEvent.Reason) {
        let outcome = reason.outcome
        let waits = session.state.withLock { state in
            guard let number = removed.number else { return false }
            state.inbox.unhandled.append(UnhandledEvent(number, reason))
            guard state.kept != nil else { return false }
            // The event's number is stored first, in its turn.
            session.mayBeAwaited.store(true, ordering: .releasing)
            state.kept?.remove(number) { removed.finish($0.isLost ? .lost : outcome) }
            return true
        }
        if waits { save() } else { removed.finish(outcome) }
    }

    /// Hands a turn to the journal as soon as no handler runs. Does nothing where a turn is about to be handed over anyway.
    func save() {
        let (wake, handed) = session.state.withLock { state -> (HandlerTask.Wake, PendingTurns.Handed?) in
            guard let kept = state.kept, !kept.hasSaveJob, !state.isOver, !state.inbox.isRunning,
                kept.isDirty(state.feed.log)
            else { return (.nothing, nil) }
            // Without a view model, only what is on screen can have changed.
            if state.lifetime.awaitsOpening {
                return (.nothing, state.hand(saved: [], savedVersion: nil, isStarted: nil, of: session))
            }
            return (state.submitSaveJob(), nil)
        }
        HandlerRunner(session: session).obey(wake)
        if let handed { hand(handed, nil) }
    }

    /// Stores the session, before its view model starts for the first time.
    ///
    /// - Parameter then: called once.
    func store(then: @escaping StoreCompletion) {
        guard let storage = session.storage, !session.isRestored, let scene = storage.sceneHeader else {
            return then(.stored)
        }
        storage.committer.note(.addScene(scene))
        storage.committer.note(.addSession(storage.header))
        let period = session.limits.usePeriod.components.seconds
        storage.committer.note(.useScene(key: scene.key, time: scene.used, ahead: period))
        storage.committer.hand(nil, of: session) { [session] outcome in
            let waiters = session.state.withLock { $0.kept?.didMake(outcome) ?? [] }
            then(outcome)
            for waiter in waiters { waiter(outcome) }
        }
    }

    /// Calls `action` when a session that is being made is stored, or never will be: at once where it was restored.
    func whenMade(_ action: @escaping StoreCompletion) {
        let outcome = session.state.withLock { state -> StoreOutcome? in
            guard !session.isRestored, let kept = state.kept, !kept.isMade else { return .stored }
            // Nothing is stored any more.
            guard !state.isOver else { return state.unstoredOutcome }
            state.kept?.waitUntilMade(action)
            return nil
        }
        if let outcome { action(outcome) }
    }

    /// Ends a turn: the handler's state, events and number are stored, and told after that. Called in the view model's
    /// isolation.
    ///
    /// - Parameter finish: takes the handler's job out of the queue, under the session's lock. Its answer is given when the
    ///   turn is stored.
    nonisolated(nonsending) func endTurn(
        _ finish: @Sendable (inout SessionState) -> StoreCompletion?
    ) async {
        var saved: [SavedValue] = []
        var title: String?
        // A list has roots alone.
        let titled = session.isChild ? nil : session.model.titled
        do {
            for attempt in 1... {
                let newest = session.state.withLock { state in
                    state.kept?.willReadState()
                    return state.feed.log.newest
                }
                let changes = try await session.model.savedChanges()
                saved.removeAll { old in changes.contains { $0.name == old.name } }
                saved += changes
                if let titled { title = await titled.title }
                // An event of another thread came between, and its state may not have been read.
                if attempt == Self.readAttempts || session.state.withLock({ $0.feed.log.newest == newest }) { break }
            }
        } catch {
            let reason = "\(session.viewModelName) can't be saved"
            session.context.warn("\(reason), so this life of its scene ends: \(error)")
            let answer = session.state.withLock { finish(&$0) }
            return notStored(.refused("\(reason): \(error)"), [answer].compactMap(\.self))
        }
        let (handed, answer) = session.state.withLock { [saved, title] state in
            if let title { state.setTitle(title) }
            let answer = finish(&state)
            state.kept?.hasSaveJob = false
            // The first turn is that of the start, unless the view model couldn't be made.
            let handed = state.hand(
                saved: saved, savedVersion: session.model.savedVersion,
                isStarted: state.life.isStarted ? true : nil, of: session)
            return (handed, answer)
        }
        guard let handed else { return answer?(.stored) ?? () }
        hand(handed, answer)
        // An event may have come after the turn was taken.
        save()
    }

    private func hand(_ handed: PendingTurns.Handed, _ answer: StoreCompletion?) {
        let telling: StoreCompletion = { [session] _ in
            session.state.withLock { $0.feed.tell(upTo: handed.turn.newest) }.send()
        }
        let turn = handed.isChange ? handed.turn : nil
        session.storage?.committer.hand(turn, of: session, telling: telling) { [self] outcome in
            guard outcome.isStored else {
                return notStored(outcome, handed.answers + [answer].compactMap(\.self))
            }
            let actions = session.state.withLock { state in
                if let notes = handed.turn.notes { state.title?.told = notes.title }
                return state.kept?.didStore(handed.turn) ?? []
            }
            if let notes = handed.turn.notes { SharedRunner(session: session).didStore(notes) }
            for action in actions + handed.answers { action(.stored) }
            answer?(.stored)
        }
    }

    /// Ends the life of a session whose turn isn't stored: the session is no longer this server's, or can't be stored. Nothing
    /// of the turn is told.
    private func notStored(_ outcome: StoreOutcome, _ answers: [StoreCompletion]) {
        // Nobody is answered where another server has the session: its clients ask that one.
        if case .takenOver? = session.storage?.committer.journal.failure { return }
        if outcome.isLost { SessionEviction(session: session).lose() }
        for answer in answers { answer(outcome) }
        SessionEviction(session: session).fail(outcome.error)
    }
}

extension SessionState {
    /// Queues a job whose end hands over a turn.
    fileprivate mutating func submitSaveJob() -> HandlerTask.Wake {
        kept?.hasSaveJob = true
        _ = inbox.submit(ClosureJob("save", handle: {}, complete: { _ in }))
        return wakeHandlers()
    }

    /// Takes a turn to hand over; nil where the session isn't durable.
    fileprivate mutating func hand(
        saved: [SavedValue], savedVersion: Int?, isStarted: Bool?, of session: Session
    ) -> PendingTurns.Handed? {
        guard kept != nil else { return nil }
        let (notes, moved) = takeChangedNotes()
        feed.didHand()
        session.storage?.committer.willHand(session)
        let log = feed.log
        let handed = kept?.hand(
            log, saved: saved, savedVersion: savedVersion, isStarted: isStarted, notes: notes, moved: moved)
        if handed?.turn.notes != nil { shared?.hasMoved = false }
        // An early answer, whose turn hasn't come, stays.
        session.mayBeAwaited.store(kept?.isDirty(log) ?? false, ordering: .releasing)
        return handed
    }

    /// - Returns: the notes, where they have changed; or else in `moved`, where they need only be stored with other changes.
    private mutating func takeChangedNotes() -> (notes: SessionNotes?, moved: SessionNotes?) {
        let isChanged =
            inbox.unhandled.isChanged || feed.log.hasUnhandedUnsent || shared?.isChanged == true
            || title?.isUnhanded == true
        guard isChanged || shared?.hasMoved == true else { return (nil, nil) }
        let notes = SessionNotes(
            unhandled: inbox.unhandled.events, unsent: feed.log.unsent, shared: shared?.notes, title: title?.newest)
        guard isChanged else { return (nil, notes) }
        inbox.unhandled.didHand()
        shared?.isChanged = false
        title?.isUnhanded = false
        return (notes, nil)
    }
}
