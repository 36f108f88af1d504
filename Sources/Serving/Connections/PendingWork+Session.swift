import JSONRPC
import Sessions

extension PendingWork {
    /// Waits for a job of a session.
    ///
    /// - Parameter isNumbered: the client numbered it, and so comes back for it: it goes on without the connection.
    init(_ session: Session, job: Int, isNumbered: Bool) {
        self.init(session, job, outlivesConnection: isNumbered)
    }

    /// Waits for a view's snapshot.
    init(_ session: Session, attaching view: Int) {
        self.init(Attaching(session: session), view, outlivesConnection: false)
    }

    private final class Attaching: Worker {
        private let session: Session

        init(session: Session) {
            self.session = session
        }

        func cancel(_ view: Int) {
            session.cancelAttaching(view)
        }
    }
}

extension Session: PendingWork.Worker {}
