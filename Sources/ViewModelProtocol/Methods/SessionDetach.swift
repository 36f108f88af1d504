package import JSONRPC

/// Takes a view off. Its session goes on for the others, and without any for the resume window.
package enum SessionDetach: ClientMethod {
    package static let name: StaticString = "session/detach"
    package static let viewEffect = ViewEffect.ends
    package typealias Result = Null
    package static let errors: [ErrorCode] = [.unknownSession]

    package struct Params: Codable, Sendable {
        package var session: ViewNumber

        package init(session: ViewNumber) { self.session = session }
    }

    package static let examples = [MessageExample("a view", #"{"session":1}"#, result: "null")]
}
