import Synchronization
import ViewModels

/// Hands the turns of a scene's sessions to the journal: everything that one turn has changed on screen goes together.
///
/// A handler may change other sessions of its scene: it shows one, takes one off, or an object that they share tells them of
/// something. So a turn waits until each session that has something to store has handed that over too, between two of its
/// handlers. Then all of it is stored, or nothing.
///
/// A session is added and removed together with the turn of its host that numbers it, so that what is on screen and the logs
/// never disagree.
///
/// Any thread may call it, with no lock held.
package final class SceneKeeper: Sendable {
    package let journal: any SessionJournal
    private struct State {
        /// Those that came on screen and that their hosts haven't handed over yet, by their keys.
        var shown: [String: (place: Int, header: StoredSession.Header)] = [:]
        var shownCount = 0
        /// The hosts of those that are stored, by their keys.
        var hosts: [String: String] = [:]
        /// Go before all other changes, which may be theirs, in the order in which they came on screen.
        var added: [(place: Int, header: StoredSession.Header)] = []
        var changes: [StoredChange] = []
        var actions: [StoreAction] = []
        /// Sessions whose turns are awaited.
        var awaited: Set<ObjectIdentifier> = []
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

        /// Everything that can be stored, where nothing is awaited.
        mutating func take() -> (life: SceneLife, changes: [StoredChange], actions: [StoreAction])? {
            guard let life, !isHanding, awaited.isEmpty, !changes.isEmpty || !actions.isEmpty else { return nil }
            isHanding = true
            defer { (added, changes, actions) = ([], [], []) }
            return (life, added.sorted { $0.place < $1.place }.map { .addSession($0.header) } + changes, actions)
        }

        mutating func add(_ turn: StoredTurn) {
            changes.append(.turn(turn))
            for case .navigation(let change) in turn.entries.map(\.content) {
                switch change.kind {
                case .push, .present: add(change.child.key, on: turn.session)
                case .pop, .dismiss: remove(change.child.key)
                }
            }
        }

        private mutating func add(_ key: String, on host: String) {
            guard let shown = shown.removeValue(forKey: key) else { return }
            added.append(shown)
            hosts[key] = host
        }

        /// With everything on or over it, whose hosts have no turn any more.
        private mutating func remove(_ key: String) {
            shown[key] = nil
            guard hosts.removeValue(forKey: key) != nil else { return }
            changes.append(.removeSession(key: key))
            for (child, host) in hosts where host == key { remove(child) }
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
    func use() {
        guard let life = state.withLock({ $0.life }) else { return }
        journal.commit(scene: life, changes: [.useScene(key: life.key, time: journal.time)]) { [self] outcome in
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
        try shared.add(singleton)
    }

    /// The names of what is stored of shared objects, and read by none.
    var unreadShared: [String] { shared.unread }

    /// A session comes on screen: it is stored with the turn of its host that says so.
    func noteShown(_ header: StoredSession.Header) {
        state.withLock { state in
            state.shownCount += 1
            state.shown[header.key] = (state.shownCount, header)
        }
    }

    /// The hosts of stored sessions, by their keys. Called once, before anything is handed over.
    func restore(_ hosts: [String: String]) {
        state.withLock { $0.hosts = hosts }
    }

    /// A change that is stored with the next turn.
    func note(_ change: StoredChange) {
        state.withLock { $0.changes.append(change) }
    }

    /// Stores a turn of a session.
    ///
    /// - Parameter then: called once, on any thread.
    func hand(_ turn: StoredTurn?, of session: Session, then: @escaping StoreAction) {
        let scene = state.withLock { $0.scene }
        let others = scene?.unstoredSessions(beside: session) ?? []
        let (root, sharedChanges) = (scene?.root, sharedChanges(of: scene))
        let added = state.withLock { state in
            // Together, since another thread may take everything at any time.
            let values = shared.take(sharedChanges)
            if let root, !values.isEmpty { state.changes.append(.share(scene: root.key, values: values)) }
            if let turn { state.add(turn) }
            state.actions.append(then)
            state.awaited.remove(ObjectIdentifier(session))
            return others.filter { state.awaited.insert(ObjectIdentifier($0)).inserted }
        }
        store()
        for session in added { TurnKeeper(session: session).save() }
    }

    private func sharedChanges(of scene: Scene?) -> [SharedSaver.Change] {
        do {
            return try shared.changes()
        } catch {
            scene?.root?.context.warn(
                "an object that sessions of \(scene?.root?.viewModelName ?? "") share can't be saved: \(error)")
            return []
        }
    }

    /// A session has ended, so that nothing of it is awaited.
    ///
    /// - Parameters:
    ///   - isRemoved: a root goes from the store, too. Others go with the turn of their host.
    ///   - then: called once, on any thread, when that is stored or never will be.
    func didEnd(_ session: Session, isRemoved: Bool, then: StoreAction? = nil) {
        let isReady = state.withLock { state in
            state.awaited.remove(ObjectIdentifier(session))
            if isRemoved, !session.isChild { state.changes.append(.removeSession(key: session.key)) }
            if let then { state.actions.append(then) }
            // What is on or over others goes with a turn of theirs, but with the root nobody is left to have one.
            return !session.isChild || !state.actions.isEmpty
        }
        if isReady { store() }
    }

    /// One thread at a time: the journal has the turns in the order in which they were taken.
    private func store() {
        while let (life, changes, actions) = state.withLock({ $0.take() }) {
            journal.commit(scene: life, changes: changes) { [self] outcome in
                let outcome = state.withLock { $0.judge(outcome) }
                // First, so that what the actions find is over.
                if outcome.isLost { lose() }
                for action in actions { action(outcome) }
            }
            state.withLock { $0.isHanding = false }
        }
    }
}
