package import JSONRPC

/// Ends a session for everyone. Its handler is cancelled; view events that wait or run are answered UnknownSession.
package enum SessionClose: ClientMethod {
    package static let name: StaticString = "session/close"
    package static let viewEffect = ViewEffect.ends
    package typealias Result = Null
    package static let errors: [ErrorCode] = [.unknownSession, .storeUnavailable, .forbidden]

    package struct Params: Codable, Sendable {
        package var session: ViewNumber

        package init(session: ViewNumber) { self.session = session }
    }

    package static let examples = [MessageExample("a session", #"{"session":1}"#, result: "null")]
}
