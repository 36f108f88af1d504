import JSONRPC
import Sessions
import Synchronization
import Transport
import ViewModelProtocol

/// A request about a session that has ended but whose end isn't stored yet. The request is handled again once it is known
/// whether the session is gone. Other messages of the client are handled meanwhile, since the wait may last as long as a
/// handler runs.
final class EndWait<Method: ClientMethod>: Sendable {
    private let session: Session
    private let reply: Reply<Method>
    private let isOver = Atomic<Bool>(false)

    init(_ session: Session, _ reply: Reply<Method>) {
        self.session = session
        self.reply = reply
    }

    /// Begins to wait. Called once, on the connection's loop.
    ///
    /// - Parameter again: handles the request again on the loop, unless the request was cancelled.
    /// - Throws: `StoreUnavailable` where the end can't be stored now.
    func begin(
        for connection: Connection, again: @escaping @Sendable (Connection) throws(RPCError) -> Void
    ) throws(RPCError) {
        if let failure = StoredEnd(of: session).failure { throw RPCError(failure) }
        connection.views.unfinishedJobs += 1
        let handle = connection.handle
        let work = PendingWork(outlivesConnection: false) { [self] in
            handle.perform { connection in
                self.end(on: connection) { connection in
                    connection.answer(self.reply, error: RPCError(.requestCancelled, "cancelled"))
                }
            }
        }
        connection.peer.note(work, for: reply.call)
        StoredEnd(of: session).whenTold { [self] _ in
            handle.perform { connection in
                // On a later turn of the loop: never while the session is still ending.
                connection.loop.execute {
                    handle.perform { connection in
                        self.end(on: connection) { connection in
                            do throws(RPCError) {
                                try again(connection)
                            } catch {
                                connection.answer(self.reply, error: error)
                            }
                        }
                    }
                }
            }
        }
    }

    private func end(on connection: Connection, _ action: (Connection) -> Void) {
        guard !isOver.exchange(true, ordering: .relaxed) else { return }
        action(connection)
        connection.views.didFinishJob()
    }
}
