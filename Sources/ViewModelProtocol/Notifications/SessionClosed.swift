/// A view's session ended other than by its own session/close, or the view alone did.
package enum SessionClosed: ServerNotification {
    package static let name: StaticString = "session/closed"

    package struct Params: Codable, Sendable {
        package var session: ViewNumber
        package var reason: Reason

        package init(session: ViewNumber, reason: Reason) {
            self.session = session
            self.reason = reason
        }
    }

    /// Why the session ended.
    package enum Reason: String, Codable, Sendable, CaseIterable {
        /// Another view or the view model ended it, or nobody came back to it in time.
        case closed
        /// It was presented, and was taken off.
        case dismissed
        /// It was pushed, and was taken off.
        case popped
        /// Its view model didn't start, or the process that hosted it ended (a server with --isolate).
        case failed
        /// This view didn't read the events that were sent to it. The session goes on.
        case overflow
        /// This view's client attached again under its name. The session goes on.
        case replaced
        /// The server ends.
        case serverShutdown
    }

    package static let examples = [
        MessageExample("by another view", #"{"session":1,"reason":"closed"}"#),
        MessageExample("with the session that it was on", #"{"session":2,"reason":"popped"}"#),
        MessageExample("as its client has attached again", #"{"session":1,"reason":"replaced"}"#),
    ]
}
