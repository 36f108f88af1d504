import JSONRPC
import Sessions

/// The ends of the sessions that a client's `shutdown` closes: those that are stored are waited for.
///
/// Confined to the connection's loop.
final class AwaitedEnds {
    /// Owns this object.
    private unowned let connection: Connection
    private let then: (RPCError?) -> Void
    /// One more than there are, until all are known.
    private var count = 1
    private var failure: SessionError?

    /// - Parameter then: called once, when no later life of the server can have those sessions, or with the error of one that
    ///   couldn't be removed. Not where the connection is gone.
    init(of connection: Connection, then: @escaping (RPCError?) -> Void) {
        self.connection = connection
        self.then = then
    }

    /// Why sessions of these views can't be removed from their store now; nil where they can.
    static func failure(of views: [AttachedView]) -> SessionError? {
        for view in views {
            if let failure = StoredEnd(of: view.session).failure { return failure }
        }
        return nil
    }

    /// Detaches the views, and ends the sessions that have no other. Called once.
    func detach(_ views: [AttachedView]) {
        connection.views.unfinishedJobs += 1
        for view in views {
            let session = view.session
            guard session.scene?.keeper != nil else {
                connection.views.detach(view.number, endsSession: true)
                continue
            }
            count += 1
            connection.views.detach(view.number, endsSession: true) { [handle = connection.handle] in
                StoredEnd(of: session).whenTold { outcome in
                    handle.perform { $0.awaitedEnds?.take(outcome) }
                }
            }
        }
        take(.stored)
    }

    private func take(_ outcome: StoreOutcome) {
        failure = failure ?? outcome.error
        count -= 1
        guard count == 0 else { return }
        if connection.life.takesMessages { then(failure.map { RPCError($0) }) }
        connection.views.didFinishJob()
    }
}
