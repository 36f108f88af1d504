import Synchronization
import ViewModels

/// Hands the turns of a scene's sessions to the journal: everything that one turn has changed goes together.
///
/// A handler may change more than its own session: it shows one, takes one off, changes an object that they share, or that
/// object tells them of something. All of that belongs to its turn. So whatever it had an effect on is stored together with it,
/// between two handlers of each session, and nobody is told before. As long as a handler runs that has changed an object which
/// the sessions share, no turn of the scene is stored: each may have read it. Sessions that it had no effect on don't wait for
/// it, as a handler may run for ever (`SceneTurns`).
///
/// An effect is known by the task that has it. Of what other threads and detached tasks do, nobody knows whose it is: it is
/// stored with the next turn.
///
/// A session is added and removed together with the turn of its host that numbers it, so that what is on screen and the logs
/// never disagree.
///
/// Any thread may call it. Its lock comes after those of sessions and of properties that are saved.
package final class SceneKeeper: Sendable {
    package let journal: any SessionJournal
    private struct State {
        var turns = SceneTurns()
        /// Go with what is handed over next.
        var noted: [StoredChange] = []
        /// A thread hands changes to the journal.
        var isHanding = false
        weak var scene: Scene?
        /// Nil before the scene begins.
        var life: SceneLife?
        /// Why it was given up, where its root has failed here.
        var failure: String?

        /// What a commit has come to: after a failure nothing is stored of this life, but no other server need have the scene.
        func judge(_ outcome: StoreOutcome) -> StoreOutcome {
            guard outcome.isLost, let failure else { return outcome }
            return .refused(failure)
        }

        /// Everything that can be stored.
        mutating func take() -> (life: SceneLife, batch: SceneTurns.Batch)? {
            guard let life, !isHanding, let batch = turns.take() else { return nil }
            isHanding = true
            return (life, batch)
        }
    }

    private let state = Mutex(State())

    /// Saves what the sessions share.
    private let shared: SharedSaver

    /// - Parameter shared: as it was stored.
    package init(journal: any SessionJournal, shared: [SavedValue] = []) {
        self.journal = journal
        self.shared = SharedSaver(shared)
    }

    /// Called once, before anything is handed over.
    ///
    /// - Parameter root: the root's key.
    func begin(_ scene: Scene, root: String) {
        state.withLock { ($0.scene, $0.life) = (scene, SceneLife(root)) }
    }

    /// Keeps the scene in the store for the whole `storedTime` from now on.
    ///
    /// - Parameter period: of such calls.
    func use(every period: Duration) {
        guard let life = state.withLock({ $0.life }) else { return }
        let use = StoredChange.useScene(key: life.key, time: journal.time, ahead: period.components.seconds)
        journal.commit(scene: life, changes: [use]) { [self] outcome in
            if outcome.isLost { lose() }
        }
    }

    /// Gives the scene up, so that it may go on at any server. Nothing of this life is stored any more.
    ///
    /// - Parameter failure: why its root has failed; nil where it hasn't.
    func release(after failure: String? = nil) {
        let life = state.withLock { state in
            state.failure = failure
            return state.life
        }
        guard let life else { return }
        journal.release(scene: life)
    }

    private func lose() {
        state.withLock { $0.scene }?.lose()
    }

    /// Saves a singleton of the scene from now on.
    ///
    /// - Throws: where its values can't be read any more.
    func add(_ singleton: any DurableSingleton) throws {
        try shared.add(singleton) { [weak self] in
            guard let self, let session = HandlerRunner.current?.session else { return }
            noteEffect(of: session, on: SceneTurns.shared)
        }
    }

    /// What is stored of shared objects, and read by none.
    func unreadShared(by registry: Registry) -> UnreadValues {
        UnreadValues(names: shared.unread(beside: registry.durableSingletons), members: shared.takeUnreadMembers())
    }

    /// A session comes on screen: it is stored with the turn of its host that says so.
    func noteShown(_ header: StoredSession.Header) {
        state.withLock { $0.turns.noteShown(header) }
    }

    /// - Parameter host: what it is shown on; nil where that isn't stored, so that it isn't, either.
    func noteHost(of session: Session, _ host: Session?) {
        state.withLock { $0.turns.noteHost(of: session.key, host?.key) }
    }

    /// The hosts of stored sessions, by their keys. Called once, before anything is handed over.
    func restore(_ hosts: [String: String]) {
        state.withLock { $0.turns.restore(hosts: hosts) }
    }

    /// A change that is stored with the next turn.
    func note(_ change: StoredChange) {
        state.withLock { $0.noted.append(change) }
    }

    /// The calling task is about to have an effect on a session. Called before it has.
    ///
    /// - Returns: whether it is one of the session's own.
    func noteEffect(on session: Session) -> Bool {
        guard let mark = HandlerRunner.current else { return false }
        if mark === session.mark { return true }
        if let other = mark.session { noteEffect(of: other, on: session.key) }
        return false
    }

    /// What a handler had an effect on is stored with its turn. Does nothing once that is over.
    private func noteEffect(of session: Session, on other: String) {
        guard session.storage?.keeper === self else { return }
        // Under both locks: the turn that ends next finds it.
        session.state.withLock { sessionState in
            guard sessionState.isInTurn else { return }
            state.withLock { state in
                state.turns.open(session.key)
                state.turns.link(session.key, other)
            }
        }
    }

    /// A turn was taken from a session, whose lock is held: `hand` follows. Until then those that it had an effect on wait.
    func willHand(_ session: Session) {
        state.withLock { $0.turns.open(session.key) }
    }

    /// Stores a turn of a session.
    ///
    /// - Parameters:
    ///   - telling: called before `then` of it and of all that is stored with it: views are told of the effects of a turn
    ///     before the answer to it, whichever session they are of.
    ///   - then: called once, on any thread.
    func hand(
        _ turn: StoredTurn?, of session: Session, telling: StoreAction? = nil, then: @escaping StoreAction
    ) {
        let scene = state.withLock { $0.scene }
        let others = scene?.sessions(beside: session) ?? []
        let root = scene?.root
        let sharedChanges: [SharedSaver.Change]
        do {
            sharedChanges = try shared.changes()
        } catch {
            // The turn would be half of what was done.
            let reason = "an object that sessions of \(root?.viewModelName ?? "it") share can't be saved: \(error)"
            session.context.warn("\(reason); this life of the scene ends")
            return then(.refused(reason))
        }
        if sharedChanges.contains(where: \.isUnwatched) {
            for other in others { noteEffect(of: other, on: SceneTurns.shared) }
        }
        // What another thread may have sent for this turn goes with it. Nearly always there is nothing, and no lock to be taken.
        let awaited = others.filter { other in
            guard other.mayBeAwaited.load(ordering: .acquiring) else { return false }
            return other.state.withLock { otherState in
                guard otherState.isAwaited else { return false }
                state.withLock { state in
                    state.turns.open(other.key)
                    state.turns.link(session.key, other.key)
                }
                return true
            }
        }
        let isOver = state.withLock { state in
            guard !state.turns.hasLeft else { return true }
            // Together, since another thread may take everything at any time.
            let values = shared.take(sharedChanges)
            let share = values.isEmpty ? nil : root.map { StoredChange.share(scene: $0.key, values: values) }
            state.turns.add(
                turn, of: session.key, noted: state.noted, shared: share, telling: telling, then: then)
            state.noted = []
            return false
        }
        if isOver { return then(.lostSession) }
        store()
        for session in awaited { TurnKeeper(session: session).save() }
    }

    /// Something of the shared objects is still to be handed over, as what one has for the first time.
    var hasUnhandedShared: Bool { (try? shared.changes().isEmpty) != true }

    var isSharedStored: Bool { state.withLock { $0.turns.isSharedStored } }

    /// Calls `action` when what handlers have changed of the shared objects is stored: at once where it is.
    func whenSharedStored(_ action: @escaping StoreAction) {
        if state.withLock({ !$0.turns.waitForShared(action) }) { action(.stored) }
    }

    /// A session has ended, so that nothing of it is awaited.
    ///
    /// - Parameters:
    ///   - isRemoved: a root goes from the store, too. Others go with the turn of their host.
    ///   - isTakenOff: another one's host numbers that. Nobody does of what leaves memory.
    ///   - then: called once, on any thread, when that is stored or never will be.
    func didEnd(_ session: Session, isRemoved: Bool, isTakenOff: Bool, then: StoreAction? = nil) {
        state.withLock { state in
            if session.isChild {
                state.turns.close(session.key, isTakenOff: isTakenOff)
            } else if isRemoved {
                state.turns.removeRoot(session.key)
            } else {
                state.turns.closeRoot(session.key)
            }
            if let then { state.turns.add(nil, of: session.key, noted: [], shared: nil, then: then) }
        }
        store()
    }

    /// This life of the scene ends, and the scene stays stored: turns that aren't whole never will be, and nothing is taken any
    /// more.
    func leave() {
        for action in state.withLock({ $0.turns.leave() }) { action(.lostSession) }
    }

    /// One thread at a time: the journal has the turns in the order in which they were taken.
    private func store() {
        while let (life, batch) = state.withLock({ $0.take() }) {
            journal.commit(scene: life, changes: batch.changes) { [self] outcome in
                let outcome = state.withLock { $0.judge(outcome) }
                // First, so that what the actions find is over.
                if outcome.isLost { lose() }
                if outcome.isStored { for telling in batch.tellings { telling(outcome) } }
                for action in batch.actions { action(outcome) }
            }
            state.withLock { $0.isHanding = false }
        }
    }
}
