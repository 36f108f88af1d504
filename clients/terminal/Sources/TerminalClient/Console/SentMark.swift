import Synchronization
package import ViewModelClient

/// Whether a view event has been sent, as its client notes it.
package final class SentMark: Sendable {
    /// The kind of the event.
    let kind: String
    private let mark = Mutex(false)

    package init(_ kind: String) {
        self.kind = kind
    }

    var isSent: Bool { mark.withLock { $0 } }

    package func note(_ stage: ViewEventStage) {
        switch stage {
        case .waits: mark.withLock { $0 = false }
        case .sent: mark.withLock { $0 = true }
        case .over: break
        }
    }

    /// The outcome of an event whose sender gets this error, for a person; nil where the server has said it.
    package func fate(after error: RemoteError) -> String? {
        switch error {
        case .sessionEnded, .connectionLost, .closed: isSent ? "may not have been handled" : "was not sent"
        default: nil
        }
    }
}
