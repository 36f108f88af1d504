import JSONRPC
import Queues
import Sessions
import Synchronization
import Transport
import ViewModelProtocol

/// A stored session on its way to a connection that waits for it, no longer than the limit `storeTime`.
final class StoreLoading: Sendable {
    enum Found {
        /// Nil where there is none.
        case session(Session?)
        /// Another server has it.
        case held(SceneHolder)
        case failed(RPCError)
    }

    private let connection: ConnectionHandle
    private let loop: EventLoop
    private let core: ServerCore
    private let query: StoreQuery
    private let isOver = Atomic<Bool>(false)
    /// On the connection's loop, like everything that is called with the connection.
    nonisolated(unsafe) private let done: (Found) -> Void

    /// - Parameter done: called once, on the connection's loop, unless the connection is gone.
    init(_ query: StoreQuery, connection: Connection, done: @escaping (Found) -> Void) {
        self.query = query
        self.connection = connection.handle
        loop = connection.loop
        core = connection.core
        self.done = done
    }

    /// Called once, on the connection's loop.
    func begin() {
        guard let journal = core.sessions.journal else { return finish(.session(nil)) }
        if let failure = journal.failure {
            // What is in memory and stored can be told while the store is away, where no other server can have it meanwhile.
            if case .owner = query, case .unavailable = failure, journal.leaseTime == .zero {
                return finish(.session(nil))
            }
            return finish(.failed(.storeUnavailable(failure.reason)))
        }
        let time = core.limits.storeTime
        let timer = loop.schedule(after: time, by: core.clock) { [self] in
            let reason = "a session wasn't read within \(time) (storeTime)"
            core.log.warning(reason)
            core.countExceeded("storeTime")
            finish(.failed(.storeUnavailable(reason)))
        }
        journal.load(query) { [self] result in
            timer.cancel()
            connection.perform({ [self] in didLoad(result, $0) }, gone: { [self] in release(result) })
        }
    }

    private func didLoad(_ result: Result<StoredScene?, StoreError>, _ connection: Connection) {
        guard !isOver.load(ordering: .relaxed) else { return release(result) }
        switch result {
        case .success(let scene):
            do throws(RPCError) {
                let (session, scene) = try restore(scene, connection)
                finish(.session(session), resuming: scene)
            } catch {
                finish(.failed(error))
            }
        case .failure(.held(let holder)): finish(.held(holder))
        case .failure(.lost): loseScene()
        case .failure(let error): finish(.failed(.storeUnavailable(error.reason)))
        }
    }

    /// This server hasn't got the scene any more: its life here is over.
    private func loseScene() {
        if case .owner(let key) = query { core.sessions.session(withKey: key)?.scene?.lose() }
        finish(.session(nil))
    }

    private func restore(_ scene: StoredScene?, _ connection: Connection) throws(RPCError) -> (
        session: Session?, scene: Scene?
    ) {
        guard let scene else { return (nil, nil) }
        let key: String? = if case .session(let key) = query { key } else { nil }
        return try StoredSessions(core.sessions).restore(scene, key, on: connection.loop)
    }

    /// Nobody waits for it.
    private func release(_ result: Result<StoredScene?, StoreError>) {
        if case .success(let scene?) = result { StoredSessions(core.sessions).release(scene) }
    }

    /// - Parameter scene: its view models go on when `done` has returned, at the latest.
    private func finish(_ found: Found, resuming scene: Scene? = nil) {
        guard !isOver.exchange(true, ordering: .relaxed) else { return scene?.resume() ?? () }
        // Never from inside the message that asks for it.
        let found = LoopBound(found, loop: loop)
        loop.execute { [self] in
            connection.perform { [self] _ in done(found.value) }
            scene?.resume()
        }
    }
}
