import JSONRPC
import Sessions
import Synchronization
import Transport
import ViewModelProtocol

/// A request for a session that has ended, while that isn't stored: it is taken again once it is known whether the session is
/// gone. Other messages of the client are taken meanwhile, as that may wait for a handler.
final class EndWait<Method: ClientMethod>: Sendable {
    private let session: Session
    private let reply: Reply<Method>
    private let isOver = Atomic<Bool>(false)

    init(_ session: Session, _ reply: Reply<Method>) {
        self.session = session
        self.reply = reply
    }

    /// Called once, on the connection's loop.
    ///
    /// - Parameter again: takes the request, unless it was cancelled.
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
                // Never from inside the end.
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
