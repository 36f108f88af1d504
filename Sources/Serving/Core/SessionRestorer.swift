import JSON
import JSONRPC
import Sessions
import Synchronization
import Transport
import ViewModelProtocol
import ViewModels

/// Finds, in the store, the sessions that clients come back to, and makes them again in memory.
package struct SessionRestorer {
    private let sessions: ServerSessions

    package init(_ sessions: ServerSessions) {
        self.sessions = sessions
    }

    private var registry: Registry { sessions.registry }
    private var journal: (any SessionJournal)? { sessions.journal }

    /// Returns whether sessions of this view model are stored.
    func canBeStored(_ viewModel: String) -> Bool { journal != nil && registry.isDurable(viewModel) }

    /// Stores that the scenes in memory are in use, so that they stay stored for the whole `storedTime` from now on. Scenes
    /// that another server has taken leave memory here.
    func use() {
        for session in sessions.allSessions where !session.isChild && session.isDurable { session.scene?.use() }
    }

    /// Removes stored sessions that no client has attached to for a long time. Sessions in memory count as used.
    ///
    /// - Returns: the time until the next sweep is due.
    package func sweep() -> Duration {
        let time = sessions.limits.storedTime
        let period = sessions.limits.usePeriod
        use()
        // A session that was in memory when the process was killed was last marked as used up to one period before. It keeps
        // its whole time.
        journal?.sweep(unusedFor: time + period)
        return period
    }

    /// Releases a scene that was read for a client that is gone, unless the scene is in memory for another client.
    func release(_ stored: StoredScene) {
        sessions.restoring.withLock { _ in releaseUnlessMade(stored) }
    }

    private func releaseUnlessMade(_ stored: StoredScene) {
        if let session = sessions.session(withKey: stored.header.key), !session.hasLeftMemory { return }
        journal?.release(scene: SceneLife(stored.header.key))
    }

    enum Restored {
        /// The session that was asked for, and the scene where it was made by this call. The session is nil where it wasn't
        /// durable and ended with the earlier process, and where it has ended in this one. A session whose end isn't stored
        /// yet is returned. The caller calls the scene's `resume()` where it attaches no view.
        case session(Session?, Scene?)
        /// The store has changed since the scene was read, so it must be read again.
        case isOutdated
    }

    /// Makes the sessions of a stored scene, unless it is in memory.
    ///
    /// - Parameters:
    ///   - key: the key of one of the scene's sessions; nil for the root.
    ///   - load: the read by which the scene was found.
    /// - Throws: where the view model isn't registered any more, or there are too many sessions.
    func restore(
        _ stored: StoredScene, _ key: String?, of load: StoredLives.Load, on loop: EventLoop
    ) throws(RPCError) -> Restored {
        let root = stored.header.key
        let key = key ?? root
        // Locked: two clients may come back to the same scene at once, on two loops.
        return try sessions.restoring.withLock { _ throws(RPCError) in
            // Looked up by the root, as the session of the key may have ended while the scene goes on.
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
        let committer = SceneCommitter(journal: journal, shared: stored.shared)
        let opening = stored.header.once.map { RepeatableOpening(once: $0, of: root.header) }
        let scene = Scene(
            context: contexts.scene, owner: stored.header.owner, person: stored.header.person,
            scope: opening?.scope(in: registry) ?? .each, committer: committer)
        let model: any SessionModel
        do throws(RPCError) {
            model = try rootModel(of: root.header, in: scene)
        } catch {
            // Only the beginning of the key, as in `sessions show`: the whole key is a secret.
            let session = "\(root.header.viewModel): session \(root.header.key.prefix(8))…"
            sessions.log.warning("\(session) can't go on, and stays in the store: \(error.message)")
            throw error
        }
        var made: [Session] = []
        do throws(SessionError) {
            let rootSession = try restore(root, model, in: scene, committer, stored.header, contexts.session)
            made.append(rootSession)
            var shown: [(session: Session, transition: Transition)] = []
            var lost: [Session] = []
            for child in stored.sessions.dropFirst() {
                let session = try restore(
                    child, childModel(of: child.header, in: scene), in: scene, committer, nil, contexts.session)
                made.append(session)
                shown.append((session, child.header.shownBy == .present ? .present : .push))
                if !child.header.isDurable { lost.append(session) }
            }
            scene.begin(with: rootSession, shown: shown)
            for session in lost { scene.takeOff(session) }
            if let opening { sessions.add(opening, rootSession) }
            scene.use()
            return scene
        } catch {
            // Otherwise a part of the scene would be taken for the whole of it.
            for session in made.reversed() { session.giveUpRestoring() }
            throw RPCError(error)
        }
    }

    private func restore(
        _ stored: StoredSession, _ model: any SessionModel, in scene: Scene, _ committer: SceneCommitter,
        _ header: StoredScene.Header?, _ context: SessionContext
    ) throws(SessionError) -> Session {
        try sessions.makeSession(
            stored.header.viewModel, model, in: scene, isChild: header == nil, context, key: stored.header.key
        ) { _ in
            SessionStorage(
                header: stored.header, sceneHeader: header, committer: committer, restored: stored.turn,
                epochs: stored.epochs, readKey: stored.readKey)
        }
    }

    /// Makes the model of a restored child. A durable child whose code this server lacks stays stored, for a server that has
    /// the code: only the user's going back removes it from the store.
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
    /// Returns the arguments of a stored session; nil where it had none.
    static func value(of arguments: [UInt8]?) -> JSONText? {
        // A server wrote them, so they are valid JSON.
        arguments.flatMap { bytes in try? bytes.withUnsafeBytes { bytes in try JSONText(validating: bytes) } }
    }
}

/// The error of a stored session whose view model this server doesn't have.
private struct LackingCode: Error, CustomStringConvertible {
    let viewModel: String

    var description: String {
        """
        this server has no durable view model "\(viewModel)" for this session, which stays in the store: register the view \
        model under this name
        """
    }
}

/// Takes the place of a view model that wasn't stored, until its session is taken off the screen.
final class GoneModel: SessionModel {
    func open(for session: Session) async throws -> Bool { false }
    func viewsDidChange(_ change: ViewsChange) async {}
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
