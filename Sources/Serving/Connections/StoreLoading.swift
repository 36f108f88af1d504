import JSONRPC
import Queues
import Sessions
import Synchronization
import Transport
import ViewModelProtocol

/// The search in the store for a session that a connection waits for. It takes no longer than the limit `storeTime`.
final class StoreLoading: Sendable {
    enum Found {
        /// The session; nil where there is none. A session whose end isn't stored yet may be returned.
        case session(Session?)
        /// Another server has the session.
        case held(SceneHolder)
        case failed(RPCError)
    }

    private let connection: ConnectionHandle
    private let loop: EventLoop
    private let core: ServerCore
    private let query: StoreQuery
    private let isOver = Atomic<Bool>(false)
    /// Called on the connection's loop only, and never once the connection is gone.
    nonisolated(unsafe) private let done: (Found) -> Void

    /// - Parameter done: called once, on the connection's loop, unless the connection is gone.
    init(_ query: StoreQuery, connection: Connection, done: @escaping (Found) -> Void) {
        self.query = query
        self.connection = connection.handle
        loop = connection.loop
        core = connection.core
        self.done = done
    }

    /// Begins the search. Called once, on the connection's loop.
    func begin() {
        guard let journal = core.sessions.journal else { return finish(.session(nil)) }
        if let failure = journal.failure {
            // While the store is unavailable, sessions in memory may still be shown, where no other server can have taken
            // them.
            if case .owner = query, case .unavailable = failure, journal.leaseTime == .zero {
                return finish(.session(nil))
            }
            return finish(.failed(.storeUnavailable(failure.reason)))
        }
        // The store doesn't know it yet, and would say that this server doesn't have it. Where another one makes it, too, the
        // first commit tells.
        if case .owner(let key) = query, core.sessions.session(withKey: key)?.isBeingMade == true {
            return finish(.session(nil))
        }
        let time = core.limits.storeTime
        let timer = loop.schedule(after: time, by: core.clock) { [self] in
            let reason = "a session wasn't read within \(time) (storeTime)"
            core.log.warning(reason)
            core.countExceeded("storeTime")
            finish(.failed(.storeUnavailable(reason)))
        }
        load(from: journal, timer)
    }

    private func load(from journal: any SessionJournal, _ timer: Task<Void, Never>) {
        let load = core.sessions.beginLoad()
        journal.load(query) { [self] result in
            connection.perform(
                { [self] connection in
                    let isOutdated = didLoad(result, of: load, connection)
                    core.sessions.endLoad()
                    // On a later turn: never from inside the end that the load has waited for.
                    if isOutdated { loop.execute { self.load(from: journal, timer) } } else { timer.cancel() }
                },
                gone: { [self] in
                    timer.cancel()
                    release(result)
                    core.sessions.endLoad()
                })
        }
    }

    /// Handles what was read. Returns whether the scene must be read again, since it has been in memory meanwhile.
    private func didLoad(
        _ result: Result<StoredScene?, StoreError>, of load: StoredLives.Load, _ connection: Connection
    ) -> Bool {
        guard !isOver.load(ordering: .relaxed) else {
            release(result)
            return false
        }
        switch result {
        case .success(nil): finish(.session(nil))
        case .success(let scene?):
            let key: String? = if case .session(let key) = query { key } else { nil }
            do throws(RPCError) {
                switch try SessionRestorer(core.sessions).restore(scene, key, of: load, on: connection.loop) {
                case .session(let session, let made):
                    if made != nil { noteGaps(in: scene) }
                    finish(.session(session), resuming: made)
                case .isOutdated: return true
                }
            } catch {
                finish(.failed(error))
            }
        case .failure(.held(let holder)): finish(.held(holder))
        case .failure(.lost): loseScene()
        case .failure(.incomplete(let reason)):
            let key: String? = if case .session(let key) = query { key } else { nil }
            core.log.error("session \(key.map { "\($0.prefix(8))…" } ?? "of an opening"): \(reason)")
            finish(.failed(RPCError(.viewModelFailed, reason)))
        case .failure(let error): finish(.failed(.storeUnavailable(error.reason)))
        }
        return false
    }

    private func noteGaps(in scene: StoredScene) {
        for session in scene.sessions {
            guard let missing = session.missing else { continue }
            let name = session.header.viewModel
            let key = session.header.key.prefix(8)
            core.log.error("session \(key)… (\(name)): the store has lost \(missing): its views get a snapshot")
        }
    }

    /// Has the scene leave memory, as this server doesn't have it any more.
    private func loseScene() {
        if case .owner(let key) = query { core.sessions.session(withKey: key)?.scene?.lose() }
        finish(.session(nil))
    }

    /// Gives a scene back that was read and that nobody waits for.
    private func release(_ result: Result<StoredScene?, StoreError>) {
        if case .success(let scene?) = result { SessionRestorer(core.sessions).release(scene) }
    }

    /// Ends the search with what was found.
    ///
    /// - Parameter scene: a scene that was made. Its view models go on once `done` has returned.
    private func finish(_ found: Found, resuming scene: Scene? = nil) {
        guard !isOver.exchange(true, ordering: .relaxed) else { return scene?.resume() ?? () }
        // On a later turn: never from inside the message that began the search.
        let found = LoopBound(found, loop: loop)
        loop.execute { [self] in
            connection.perform { [self] _ in done(found.value) }
            scene?.resume()
        }
    }
}
