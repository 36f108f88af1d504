import Synchronization
import ViewModels

/// Hands the turns of a scene's sessions to the journal: everything that one turn has changed goes together.
///
/// A handler may change more than its own session: it shows or takes off another, or changes an object that sessions share and
/// that tells them of it. All of that belongs to the handler's turn. So every session that it had an effect on is stored
/// together with its own, between two handlers of each, and nobody is told before. While a handler runs that has changed a
/// shared object, no turn of the scene is stored, as each may have read that object. Otherwise sessions that a handler had no
/// effect on don't wait for it, as it may run for ever (`SceneTurns`).
///
/// The task that has an effect tells which turn it belongs to. Effects of other threads and of detached tasks belong to no
/// known turn, and are stored with the next one.
///
/// A session is added and removed together with the turn of its host that numbers it, so that what is on screen and the logs
/// never disagree.
///
/// Any thread may call it. Its lock is taken after those of sessions and of saved properties.
package final class SceneCommitter: Sendable {
    package let journal: any SessionJournal
    private struct State {
        var turns = SceneTurns()
        /// Changes that are stored with the turn that is handed over next.
        var noted: [StoredChange] = []
        /// Whether a thread hands changes to the journal.
        var isHanding = false
        weak var scene: Scene?
        /// The scene's life; nil before the scene begins.
        var life: SceneLife?
        /// Why the scene was given up, where its root has failed here.
        var failure: String?

        /// Returns what a commit has come to. After a failure of the root a lost commit is only refused, as no other server
        /// need have the scene.
        func judge(_ outcome: StoreOutcome) -> StoreOutcome {
            guard outcome.isLost, let failure else { return outcome }
            return .refused(failure)
        }

        /// Takes everything that can be stored; nil where that is nothing, or a thread hands changes over.
        mutating func take() -> (life: SceneLife, batch: SceneTurns.Batch)? {
            guard let life, !isHanding, let batch = turns.take() else { return nil }
            isHanding = true
            return (life, batch)
        }
    }

    private let state = Mutex(State())

    /// The saver of the objects that the sessions share.
    private let shared: SharedSaver

    /// - Parameter shared: what was stored of the objects that the sessions share.
    package init(journal: any SessionJournal, shared: [SavedValue] = []) {
        self.journal = journal
        self.shared = SharedSaver(shared)
    }

    /// Begins the scene's life. Called once, before anything is handed over.
    ///
    /// - Parameter root: the root's key.
    func begin(_ scene: Scene, root: String) {
        state.withLock { ($0.scene, $0.life) = (scene, SceneLife(root)) }
    }

    /// Keeps the scene in the store for the whole `storedTime` from now on.
    ///
    /// - Parameter period: the time between two such calls.
    func use(every period: Duration) {
        guard let life = state.withLock({ $0.life }) else { return }
        store(.useScene(key: life.key, time: journal.time, ahead: period.components.seconds)) { _ in }
    }

    /// Stores a change that is no part of a turn.
    ///
    /// - Parameter then: called once, on any thread.
    func store(_ change: StoredChange, then: @escaping StoreCompletion) {
        guard let life = state.withLock({ $0.life }) else { return then(.lostSession) }
        journal.commit(scene: life, changes: [change]) { [self] outcome in
            if outcome.isLost { lose() }
            then(outcome)
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

    /// Returns what is stored of shared objects and read by none.
    func unreadShared(by registry: Registry) -> UnreadValues {
        UnreadValues(names: shared.unread(beside: registry.durableSingletons), members: shared.takeUnreadMembers())
    }

    /// Notes a session that comes on screen. It is stored with the turn of its host that says so.
    func noteShown(_ header: StoredSession.Header) {
        state.withLock { $0.turns.noteShown(header) }
    }

    /// Notes the host of a session that comes on screen.
    ///
    /// - Parameter host: nil where the host isn't stored, so that the session isn't, either.
    func noteHost(of session: Session, _ host: Session?) {
        state.withLock { $0.turns.noteHost(of: session.key, host?.key) }
    }

    /// Takes the hosts of stored sessions, by the sessions' keys. Called once, before anything is handed over.
    func restore(_ hosts: [String: String]) {
        state.withLock { $0.turns.restore(hosts: hosts) }
    }

    /// Notes a change that is stored with the next turn.
    func note(_ change: StoredChange) {
        state.withLock { $0.noted.append(change) }
    }

    /// Notes that the calling task is about to have an effect on a session.
    ///
    /// - Returns: whether the task is the session's own handler.
    func noteEffect(on session: Session) -> Bool {
        guard let mark = HandlerRunner.current else { return false }
        if mark === session.mark { return true }
        if let other = mark.session { noteEffect(of: other, on: session.key) }
        return false
    }

    /// Has another session, or the shared objects, stored with the turn of a session's handler. Does nothing once that turn is
    /// over.
    private func noteEffect(of session: Session, on other: String) {
        guard session.storage?.committer === self else { return }
        // Under both locks, so that the turn that ends next finds the link.
        session.state.withLock { sessionState in
            guard sessionState.isInTurn else { return }
            state.withLock { state in
                state.turns.open(session.key)
                state.turns.link(session.key, other)
            }
        }
    }

    /// Notes that a turn was taken from a session, whose lock is held. Until `hand` follows, sessions that the turn had an
    /// effect on wait.
    func willHand(_ session: Session) {
        state.withLock { $0.turns.open(session.key) }
    }

    /// Stores a turn of a session.
    ///
    /// - Parameters:
    ///   - telling: called before `then` of this turn and of all that are stored with it: views of any session are told of the
    ///     effects of a turn before it is answered.
    ///   - then: called once, on any thread.
    func hand(
        _ turn: StoredTurn?, of session: Session, telling: StoreCompletion? = nil, then: @escaping StoreCompletion
    ) {
        let scene = state.withLock { $0.scene }
        let others = scene?.sessions(beside: session) ?? []
        let root = scene?.root
        let sharedChanges: [SharedSaver.Change]
        do {
            sharedChanges = try shared.changes()
        } catch {
            // Without the shared objects, half of what the turn has done would be stored.
            let reason = "an object that sessions of \(root?.viewModelName ?? "it") share can't be saved: \(error)"
            session.context.warn("\(reason); this life of the scene ends")
            return then(.refused(reason))
        }
        if sharedChanges.contains(where: \.isUnwatched) {
            for other in others { noteEffect(of: other, on: SceneTurns.shared) }
        }
        // What another thread may have sent for this turn goes with it. Nearly always there is nothing, and no lock is taken.
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
            // Under one lock, since another thread may take everything at any time.
            let values = shared.take(sharedChanges)
            let share = values.isEmpty ? nil : root.map { StoredChange.share(scene: $0.key, values: values) }
            state.turns.add(
                turn, of: session.key, noted: state.noted, shared: share, telling: telling, then: then)
            state.noted = []
            return false
        }
        if isOver { return then(.lostSession) }
        store()
        for session in awaited { TurnCommitter(session: session).save() }
    }

    /// Whether something of the shared objects is still to be handed over, such as a first value.
    var hasUnhandedShared: Bool { (try? shared.changes().isEmpty) != true }

    var isSharedStored: Bool { state.withLock { $0.turns.isSharedStored } }

    /// Calls `action` when the changes that handlers have made to shared objects are stored: at once where they are.
    func whenSharedStored(_ action: @escaping StoreCompletion) {
        if state.withLock({ !$0.turns.waitForShared(action) }) { action(.stored) }
    }

    /// Notes that a session has ended, so that nothing more of it is awaited.
    ///
    /// - Parameters:
    ///   - isRemoved: whether a root is removed from the store, too. Other sessions are removed with the turn of their host.
    ///   - isTakenOff: whether the session was taken off the screen, which its host numbers. Not so where it leaves memory.
    ///   - then: called once, on any thread, when the end is stored or never will be.
    func didEnd(_ session: Session, isRemoved: Bool, isTakenOff: Bool, then: StoreCompletion? = nil) {
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

    /// Ends this life of the scene, which stays stored. Turns that aren't whole are dropped, and nothing more is taken.
    func leave() {
        for action in state.withLock({ $0.turns.leave() }) { action(.lostSession) }
    }

    /// Hands over what can be stored, one thread at a time: the journal has the turns in the order in which they were taken.
    private func store() {
        while let (life, batch) = state.withLock({ $0.take() }) {
            journal.commit(scene: life, changes: batch.changes) { [self] outcome in
                let outcome = state.withLock { $0.judge(outcome) }
                // Before the actions, so that they find the scene over.
                if outcome.isLost { lose() }
                if outcome.isStored { for telling in batch.tellings { telling(outcome) } }
                for action in batch.actions { action(outcome) }
            }
            state.withLock { $0.isHanding = false }
        }
    }
}
