import JSON
import JSONRPC
import ViewModelProtocol

/// The reason why a request to a server wasn't done, or why a session or a connection has ended.
///
/// ```swift
/// do {
///     try await orders.handle(event: .selectOrder(index: 100))
/// } catch RemoteError.refused(let refusal) {
///     print(refusal.message)
/// }
/// ```
public enum RemoteError: Error, Hashable, Sendable {
    /// The server refused the request, or the view model's handler threw. Also for a message longer than the server
    /// takes, which isn't sent.
    case refused(Refusal)
    /// The server doesn't let this client in, since the token is wrong or missing, with the server's words.
    case notAllowed(String)
    /// The server wasn't reached: there is none, or it doesn't answer within 30 s. The reason is in words.
    case unreachable(String)
    /// The connection was lost, for this reason in words.
    ///
    /// A server that this client started has ended with it. Of any other, the request either couldn't be sent, or it
    /// isn't known whether it was done.
    case connectionLost(String)
    /// The session has ended, for this reason.
    case sessionEnded(SessionEnd)
    /// The server broke the protocol, as these words say.
    case invalidMessage(String)
    /// The connection or the session was closed by this program.
    case closed
    /// `start()` hasn't been called, hasn't returned yet, or failed.
    case notStarted

    /// An error that a server answered with.
    public struct Refusal: Hashable, Sendable {
        /// A code of JSON-RPC, of the Language Server Protocol, or of this protocol.
        public let code: Int
        /// A sentence for people. If a handler threw, the description of its error.
        public let message: String
        /// More about the error, for programs: the JSON text of one value. Nil if there is none.
        public let data: String?

        package init(code: Int, message: String, data: String? = nil) {
            self.code = code
            self.message = message
            self.data = data
        }
    }

    /// The reason why a session ended other than by `close()`. `RemoteViewModel.ended` sends it in `sessionEnded`.
    public enum SessionEnd: Hashable, Sendable {
        /// Another view, or the view model itself, ended it.
        case closed
        /// It was presented, and dismissed.
        case dismissed
        /// It was pushed, and popped.
        case popped
        /// Its view model couldn't start or go on, or the process that hosted it has ended.
        case failed
        /// The server ends.
        case serverShutdown
        /// After a reconnect the server didn't know the session. It was without a view for too long, or the server was
        /// started again.
        case forgotten
        /// After a reconnect the server no longer had the events that were missed, and the view model made no snapshot.
        case eventsLost
        /// This client took its events so slowly that the server no longer had them all, and the view model made no
        /// snapshot.
        case overflow
        /// Another connection attached under the name of this view. The session goes on.
        case replaced
        /// Another reason, as the server calls it.
        case other(String)
    }
}

extension RemoteError: CustomStringConvertible {
    /// The error, in words for people.
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
    /// The reason, as a phrase for people.
    public var description: String {
        switch self {
        case .closed: "it was closed"
        case .dismissed: "it was dismissed"
        case .popped: "it was left"
        case .failed: "its view model failed to start"
        case .serverShutdown: "the server ends"
        case .forgotten: "the server doesn't know it any more"
        case .eventsLost: "events were lost while there was no connection"
        case .overflow: "events were lost, since they weren't taken as fast as they came"
        case .replaced: "another connection has taken its place"
        case .other(let reason): reason
        }
    }
}

extension RemoteError {
    /// Reads an error of the server, as far as possible.
    ///
    /// - Parameter error: the `error` member of an answer.
    init(_ error: JSONValue) {
        let code = error.member("code")?.integer(as: Int.self) ?? 0
        let message = error.member("message")?.string() ?? "an error without a message"
        if code == ErrorCode.unauthorized.rawValue {
            self = .notAllowed(message)
        } else {
            let data = error.member("data").map { JSONText($0).description }
            self = .refused(Refusal(code: code, message: message, data: data))
        }
    }

    /// Returns the error for a message that isn't sent, since the server wouldn't accept it.
    static func tooLong(_ bytes: Int, limit: Int) -> RemoteError {
        let reason = "a message of \(bytes) bytes; the server takes \(limit) at most"
        return .refused(.init(code: ErrorCode.limitExceeded.rawValue, message: reason))
    }

    /// The error for an event that was sent before the connection was lost, if the session has forgotten its sender since.
    static let unknownOutcome = RemoteError.connectionLost(
        "the session has forgotten this client while there was no connection; it isn't known whether this was handled")

    /// Whether the server refused with this code.
    func isRefusal(_ code: ErrorCode) -> Bool {
        if case .refused(let refusal) = self { refusal.code == code.rawValue } else { false }
    }

    /// Whether the server refused an event that it couldn't read, so that it hasn't seen the event's number.
    var isBeforeNumber: Bool { [ErrorCode.parseError, .invalidRequest].contains(where: isRefusal) }

    /// Whether the server refused the number of an event.
    var isOfNumber: Bool {
        guard isRefusal(.invalidParams), case .refused(let refusal) = self, let data = refusal.data else {
            return false
        }
        var text = data
        return text.withUTF8 { bytes in
            let value = try? JSONValue(validating: UnsafeRawBufferPointer(bytes))
            return value?.member("path")?.isString("/number") ?? false
        }
    }
}

extension RemoteError.SessionEnd {
    /// Reads the reason why a session ended.
    ///
    /// - Parameter reason: the member `reason` of a `session/closed`.
    init(_ reason: String?) {
        self =
            switch reason.flatMap({ SessionClosed.Reason(rawValue: $0) }) {
            case .closed: .closed
            case .dismissed: .dismissed
            case .popped: .popped
            case .failed: .failed
            case .serverShutdown: .serverShutdown
            case .overflow: .overflow
            case .replaced: .replaced
            case nil: .other(reason ?? "it gave no reason")
            }
    }
}
