/// Why something that was asked of a server wasn't done.
public enum RemoteError: Error, Hashable, Sendable {
    /// The server said no, or what it ran failed.
    case refused(Refusal)
    /// The server doesn't let this client in: its token is wrong or missing. In words.
    case notAllowed(String)
    /// There is no server, or it doesn't answer. In words.
    case unreachable(String)
    /// The connection was lost, and there is no way back: a server that was started by this client has ended, or nobody
    /// knows whether what was asked was done. In words.
    case connectionLost(String)
    /// The session has ended, for this reason.
    case sessionEnded(SessionEnd)
    /// The server sent what it may not. In words.
    case invalidMessage(String)
    /// It was closed from this side.
    case closed
    /// `start()` hasn't been called, or failed.
    case notStarted

    /// An error that a server answered with.
    public struct Refusal: Hashable, Sendable {
        /// JSON-RPC's, the Language Server Protocol's, or one of the protocol's own.
        public let code: Int
        /// For people; of a handler that threw, what it says.
        public let message: String
        /// More for programs: JSON text of one value.
        public let data: String?

        package init(code: Int, message: String, data: String? = nil) {
            self.code = code
            self.message = message
            self.data = data
        }
    }

    /// Why a session ended other than by its own view.
    public enum SessionEnd: Hashable, Sendable {
        /// Another view, or the view model itself, ended it.
        case closed
        /// It was presented, and was taken off the screen.
        case dismissed
        /// It was pushed, and was taken off the screen.
        case popped
        /// Its view model couldn't start.
        case failed
        /// The server ends.
        case serverShutdown
        /// After a reconnect the server didn't know it any more: it was away for too long, or the server was started anew.
        case forgotten
        /// After a reconnect, events between were no longer kept, and its view model makes no snapshot.
        case eventsLost
        /// What the server calls it.
        case other(String)
    }
}

extension RemoteError: CustomStringConvertible {
    /// A sentence for people.
    public var description: String {
        switch self {
        case .refused(let refusal): refusal.message
        case .notAllowed(let reason), .unreachable(let reason), .connectionLost(let reason): reason
        case .sessionEnded(let end): "the session has ended: \(end)"
        case .invalidMessage(let reason): "the server broke the protocol: \(reason)"
        case .closed: "it was closed"
        case .notStarted: "it isn't started"
        }
    }
}

extension RemoteError.SessionEnd: CustomStringConvertible {
    /// A phrase for people.
    public var description: String {
        switch self {
        case .closed: "it was closed"
        case .dismissed: "it was dismissed"
        case .popped: "it was left"
        case .failed: "its view model failed to start"
        case .serverShutdown: "the server ends"
        case .forgotten: "the server doesn't know it any more"
        case .eventsLost: "events were lost while there was no connection"
        case .other(let reason): reason
        }
    }
}
