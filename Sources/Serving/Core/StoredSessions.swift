import JSON
import JSONRPC
import Sessions
import Synchronization
import Transport
import ViewModelProtocol
import ViewModels

/// The sessions of earlier lives: finds out of the store what clients come back to.
package struct StoredSessions {
    private let sessions: ServerSessions

    package init(_ sessions: ServerSessions) {
        self.sessions = sessions
    }

    private var registry: Registry { sessions.registry }
    private var journal: (any SessionJournal)? { sessions.journal }

    /// Whether sessions of this view model are in the store.
    func canBeStored(_ viewModel: String) -> Bool { journal != nil && registry.isDurable(viewModel) }

    /// Keeps the scenes in memory in the store. Those that another server has taken end here.
    func use() {
        for session in sessions.allSessions where !session.isChild && session.isDurable { session.scene?.use() }
    }

    /// Removes stored sessions that nobody has attached for long. Those in memory are in use.
    ///
    /// - Returns: when to do it again.
    package func sweep() -> Duration {
        let time = sessions.limits.storedTime
        let period = sessions.limits.usePeriod
        use()
        // One that was in memory when the process was killed is in the store as it was used a period before, at the most, and has
        // its whole time nevertheless.
        journal?.sweep(unusedFor: time + period)
        return period
    }

    /// Gives up a scene that was read for a client that is gone, unless it is in memory for another one.
    func release(_ stored: StoredScene) {
        sessions.restoring.withLock { _ in releaseUnlessMade(stored) }
    }

    private func releaseUnlessMade(_ stored: StoredScene) {
        if let session = sessions.session(withKey: stored.header.key), !session.hasLeftMemory { return }
        journal?.release(scene: SceneLife(stored.header.key))
    }

    enum Restored {
        /// Nil where it wasn't durable, and ended with its life, and where it has ended in this one. One whose end isn't stored
        /// yet is there. A new scene's `resume()` is called by the caller, where it has attached no view.
        case session(Session?, Scene?)
        /// What was read isn't what is stored now.
        case isOutdated
    }

    /// Makes the sessions of a stored scene, unless it is in memory.
    ///
    /// - Parameters:
    ///   - key: of one of its sessions; nil for the root.
    ///   - load: the read of it.
    /// - Throws: where there is no such view model any more, or there are too many sessions.
    func restore(
        _ stored: StoredScene, _ key: String?, of load: StoredLives.Load, on loop: EventLoop
    ) throws(RPCError) -> Restored {
        let root = stored.header.key
        let key = key ?? root
        // One at a time: two clients may come back at once, on two loops.
        return try sessions.restoring.withLock { _ throws(RPCError) in
            // By its root, as the session of the key may have ended while the scene goes on.
            if let session = sessions.session(withKey: root) {
                return session.hasLeftMemory ? .isOutdated : .session(sessions.session(withKey: key), nil)
            }
            if sessions.isOutdated(load, root) { return .isOutdated }
            do throws(RPCError) {
                let scene = try makeScene(stored, on: loop)
                return .session(sessions.session(withKey: key), scene)
            } catch {
                // Another server may have the code, or the room.
                releaseUnlessMade(stored)
                throw error
            }
        }
    }

    /// Makes the sessions of a stored scene.
    private func makeScene(_ stored: StoredScene, on loop: EventLoop) throws(RPCError) -> Scene? {
        guard let root = stored.sessions.first, let journal else { return nil }
        let contexts = sessions.contexts(of: loop)
        let keeper = SceneKeeper(journal: journal, shared: stored.shared)
        let scene = Scene(context: contexts.scene, owner: stored.header.owner, keeper: keeper)
        let model: any SessionModel
        do throws(RPCError) {
            model = try rootModel(of: root.header, in: scene)
        } catch {
            // The beginning of its key, as for `sessions show`: the whole is a secret.
            let session = "\(root.header.viewModel): session \(root.header.key.prefix(8))…"
            sessions.log.warning("\(session) can't go on, and stays in the store: \(error.message)")
            throw error
        }
        var made: [Session] = []
        do throws(SessionError) {
            let rootSession = try restore(root, model, in: scene, keeper, stored.header, contexts.session)
            made.append(rootSession)
            var shown: [(session: Session, transition: Transition)] = []
            var lost: [Session] = []
            for child in stored.sessions.dropFirst() {
                let session = try restore(
                    child, childModel(of: child.header, in: scene), in: scene, keeper, nil, contexts.session)
                made.append(session)
                shown.append((session, child.header.shownBy == .present ? .present : .push))
                if !child.header.isDurable { lost.append(session) }
            }
            scene.begin(with: rootSession, shown: shown)
            for session in lost { scene.takeOff(session) }
            if let once = stored.header.once {
                sessions.add(RepeatableOpening(once: once, of: root.header), rootSession)
            }
            scene.use()
            return scene
        } catch {
            // Else a part of the scene would be taken for all of it.
            for session in made.reversed() { session.giveUpRestoring() }
            throw RPCError(error)
        }
    }

    private func restore(
        _ stored: StoredSession, _ model: any SessionModel, in scene: Scene, _ keeper: SceneKeeper,
        _ header: StoredScene.Header?, _ context: SessionContext
    ) throws(SessionError) -> Session {
        try sessions.makeSession(
            stored.header.viewModel, model, in: scene, isChild: header == nil, context, key: stored.header.key
        ) { _ in
            SessionStorage(
                header: stored.header, sceneHeader: header, keeper: keeper, restored: stored.turn,
                epochs: stored.epochs)
        }
    }

    /// One that can't go on stays where it is, for code that can: only the user's going back takes it from the store.
    private func childModel(of child: StoredSession.Header, in scene: Scene) -> any SessionModel {
        guard child.isDurable else { return GoneModel() }
        guard registry.isDurable(child.viewModel),
            let model = registry.childModel(child, in: scene.container)
        else { return RestoredChild(LackingCode(viewModel: child.viewModel)) }
        return RestoredChild(model)
    }

    private func rootModel(of root: StoredSession.Header, in scene: Scene) throws(RPCError) -> any SessionModel {
        let name = root.viewModel
        guard registry.isDurable(name) else {
            throw RPCError(.viewModelFailed, "\(LackingCode(viewModel: name))")
        }
        do throws(JSONCodingError) {
            return try registry.sessionModel(
                name, arguments: StoredScene.value(of: root.arguments), at: .root,
                storedVersion: root.argumentsVersion, in: scene.container) ?? GoneModel()
        } catch {
            let reason = "the arguments of this stored session don't fit \"\(name)\" any more: \(error)"
            throw RPCError(.viewModelFailed, reason)
        }
    }
}

extension StoredScene {
    /// The arguments of a stored session; nil where it had none.
    static func value(of arguments: [UInt8]?) -> JSONText? {
        // Written by a server, so it is valid.
        arguments.flatMap { bytes in try? bytes.withUnsafeBytes { bytes in try JSONText(validating: bytes) } }
    }
}

/// There is a session in the store, and no code to go on with.
private struct LackingCode: Error, CustomStringConvertible {
    let viewModel: String

    var description: String {
        """
        this server has no durable view model "\(viewModel)" for this session, which stays in the store: register the view \
        model under this name
        """
    }
}

/// Takes the place of a view model that has no later life, until it is taken off the screen.
final class GoneModel: SessionModel {
    func open(for session: Session) async throws -> Bool { false }
    func viewsDidChange(_ hasViews: Bool) async {}
    func stop() async {}

    func job(of event: ParsedValue, for request: consuming ViewEventJob.Request) -> ViewEventJob {
        let error = JSONCodingError(path: .root, reason: "the view model is gone")
        return ClosureJob(for: request) { throw UndecodedEvent(error, kind: nil) }
    }

    func placeSnapshot(for session: Session, _ place: @escaping @Sendable (ModelSnapshot) -> Void) async {
        place(.none(reason: nil))
    }

    func afterPending(_ action: @escaping @Sendable () -> Void) { action() }
    func savedChanges() async throws -> [SavedValue] { [] }
    func hasUnsavedChanges() async -> Bool { false }
    func close() {}

    var backHandling: (any BackHandling)? { nil }
    var isolation: (any Actor)? { nil }
    var isSettled: Bool { true }
    var isDurable: Bool { false }
    var savedVersion: Int? { nil }
}
