import Synchronization
package import ViewModelClient

/// A mark for a view event: whether the client has sent it.
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

    /// Returns the outcome of the event in words for a person, if its sender gets this error; nil if the error itself says it.
    package func fate(after error: RemoteError) -> String? {
        switch error {
        case .sessionEnded, .connectionLost, .closed: isSent ? "may not have been handled" : "was not sent"
        default: nil
        }
    }
}
