import JSONRPC
import Queues
import Sessions
import Synchronization
import Transport
import ViewModelProtocol

/// A stored session on its way to a connection that waits for it, no longer than the limit `storeTime`.
final class StoreLoading: Sendable {
    private let connection: ConnectionHandle
    private let loop: EventLoop
    private let core: ServerCore
    private let isOver = Atomic<Bool>(false)
    /// On the connection's loop, like everything that is called with the connection.
    nonisolated(unsafe) private let done: (Result<Session?, RPCError>) -> Void

    /// - Parameter done: called once, on the connection's loop, unless the connection is gone.
    init(connection: Connection, done: @escaping (Result<Session?, RPCError>) -> Void) {
        self.connection = connection.handle
        loop = connection.loop
        core = connection.core
        self.done = done
    }

    func begin(_ query: StoreQuery) {
        let sessions = core.sessions
        guard let journal = sessions.journal else { return finish(.success(nil)) }
        if let failure = journal.failure {
            // What is in memory and stored can be told while the store is away.
            if case .owner = query, case .unavailable = failure { return finish(.success(nil)) }
            return finish(.failure(.storeUnavailable(failure.reason)))
        }
        let time = core.limits.storeTime
        let timer = loop.schedule(after: time, by: core.clock) { [self] in
            finish(.failure(.storeUnavailable("a session wasn't read within \(time) (storeTime)")))
        }
        journal.load(query) { [self] result in
            timer.cancel()
            connection.perform { [self] connection in
                switch result {
                case .success(let scene):
                    finish(Result { () throws(RPCError) in try restore(scene, query, connection) })
                case .failure(let error): finish(.failure(.storeUnavailable(error.reason)))
                }
            }
        }
    }

    private func restore(
        _ scene: StoredScene?, _ query: StoreQuery, _ connection: Connection
    ) throws(RPCError) -> Session? {
        guard let scene else { return nil }
        let key: String? = if case .session(let key) = query { key } else { nil }
        return try StoredSessions(core.sessions).restore(scene, key, on: connection.loop)
    }

    private func finish(_ result: Result<Session?, RPCError>) {
        guard !isOver.exchange(true, ordering: .relaxed) else { return }
        // Never from inside the message that asks for it.
        loop.execute { [self] in connection.perform { [self] _ in done(result) } }
    }
}
