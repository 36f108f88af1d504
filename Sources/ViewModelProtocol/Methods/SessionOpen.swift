package import JSON
package import JSONRPC

/// Makes a session with its first view. The view model starts after the answer.
package enum SessionOpen: ClientMethod {
    package static let name: StaticString = "session/open"
    package static let errors: [ErrorCode] = [
        .requestCancelled, .unknownViewModel, .unknownSession, .viewModelFailed,
    ]

    package struct Params: Codable, Sendable {
        /// The name under which the view model is registered.
        package var viewModel: String
        /// The arguments that the view model is made from, by its own schema. null counts as none.
        package var arguments: JSONText?
        /// A name of the client's choosing, kept over reconnects, under which it numbers its view events.
        package var client: String?

        package init(viewModel: String, arguments: JSONText? = nil, client: String? = nil) {
            self.viewModel = viewModel
            self.arguments = arguments
            self.client = client
        }
    }

    /// The new session, and its view on this connection.
    package struct Result: Codable, Sendable {
        package var session: ViewNumber
        package var key: SessionKey
        /// The name under which the view model is registered.
        package var viewModel: String

        package init(session: ViewNumber, key: SessionKey, viewModel: String) {
            self.session = session
            self.key = key
            self.viewModel = viewModel
        }
    }

    package static let examples = [
        MessageExample(
            "a counter", #"{"viewModel":"counter","arguments":{"start":40}}"#,
            result: #"{"session":1,"key":"key-1","viewModel":"counter"}"#),
        MessageExample(
            "a view that numbers its events", #"{"viewModel":"counter","client":"phone"}"#,
            result: #"{"session":1,"key":"key-1","viewModel":"counter"}"#),
    ]
}
