import JSONRPC
import Queues
import Sessions
import Synchronization
import Transport
import ViewModelProtocol

/// A stored session on its way to a connection that waits for it, no longer than the limit `storeTime`, or than another server
/// that has it can keep it without a word.
final class StoreLoading: Sendable {
    /// Between two questions for a scene that another server has.
    private static let askingInterval = Duration.milliseconds(50)
    /// Beyond the lease of a server that is gone.
    private static let leaseGrace = Duration.seconds(2)

    private let connection: ConnectionHandle
    private let loop: EventLoop
    private let core: ServerCore
    private let query: StoreQuery
    private let isOver = Atomic<Bool>(false)
    // These are used on the connection's loop alone.
    nonisolated(unsafe) private let done: (Result<Session?, RPCError>) -> Void
    /// Ends the wait.
    nonisolated(unsafe) private var timer: Task<Void, Never>?
    /// The wait is one for another server.
    nonisolated(unsafe) private var isHeld = false

    /// - Parameter done: called once, on the connection's loop, unless the connection is gone.
    init(_ query: StoreQuery, connection: Connection, done: @escaping (Result<Session?, RPCError>) -> Void) {
        self.query = query
        self.connection = connection.handle
        loop = connection.loop
        core = connection.core
        self.done = done
    }

    /// Called once, on the connection's loop.
    func begin() {
        guard let journal = core.sessions.journal else { return finish(.success(nil)) }
        if let failure = journal.failure {
            // What is in memory and stored can be told while the store is away, where no other server can have it meanwhile.
            if case .owner = query, case .unavailable = failure, journal.leaseTime == .zero {
                return finish(.success(nil))
            }
            return finish(.failure(.storeUnavailable(failure.reason)))
        }
        let time = core.limits.storeTime
        wait(time, "a session wasn't read within \(time) (storeTime)")
        ask(journal)
    }

    private func wait(_ time: Duration, _ reason: String) {
        timer?.cancel()
        timer = loop.schedule(after: time, by: core.clock) { [self] in finish(.failure(.storeUnavailable(reason))) }
    }

    private func ask(_ journal: any SessionJournal) {
        journal.load(query) { [self] result in
            connection.perform({ [self] in didLoad(result, journal, $0) }, gone: { [self] in release(result) })
        }
    }

    private func didLoad(
        _ result: Result<StoredScene?, StoreError>, _ journal: any SessionJournal, _ connection: Connection
    ) {
        guard !isOver.load(ordering: .relaxed) else { return release(result) }
        switch result {
        case .success(let scene): finish(Result { () throws(RPCError) in try restore(scene, connection) })
        case .failure(.held(let holder)): wait(for: holder, journal)
        case .failure(.lost): loseScene()
        case .failure(let error): finish(.failure(.storeUnavailable(error.reason)))
        }
    }

    /// Another server has the scene. It gives it up when it ends or needs it no more; without a word of it, its lease ends.
    private func wait(for holder: SceneHolder, _ journal: any SessionJournal) {
        if !isHeld {
            isHeld = true
            let time = max(core.limits.storeTime, journal.leaseTime + Self.leaseGrace)
            wait(time, "another server has this session, and keeps it: \(holder.description)")
        }
        _ = loop.schedule(after: Self.askingInterval, by: core.clock) { [self] in
            if !isOver.load(ordering: .relaxed) { ask(journal) }
        }
    }

    /// This server hasn't got the scene any more: its life here is over.
    private func loseScene() {
        if case .owner(let key) = query { core.sessions.session(withKey: key)?.scene?.lose() }
        finish(.success(nil))
    }

    private func restore(_ scene: StoredScene?, _ connection: Connection) throws(RPCError) -> Session? {
        guard let scene else { return nil }
        let key: String? = if case .session(let key) = query { key } else { nil }
        return try StoredSessions(core.sessions).restore(scene, key, on: connection.loop)
    }

    /// Nobody waits for it.
    private func release(_ result: Result<StoredScene?, StoreError>) {
        if case .success(let scene?) = result { StoredSessions(core.sessions).release(scene) }
    }

    private func finish(_ result: Result<Session?, RPCError>) {
        guard !isOver.exchange(true, ordering: .relaxed) else { return }
        // Never from inside the message that asks for it.
        loop.execute { [self] in
            timer?.cancel()
            timer = nil
            connection.perform { [self] _ in done(result) }
        }
    }
}
