/// What the server does, for a client that asked for it.
package enum LogTrace: ServerNotification {
    package static let name: StaticString = "$/logTrace"

    package struct Params: Codable, Sendable {
        package var message: String
        /// The params, as JSON.
        package var verbose: String?

        package init(message: String, verbose: String? = nil) {
            self.message = message
            self.verbose = verbose
        }
    }

    package static let examples = [
        MessageExample(
            "a request came",
            #"{"message":"Received request 'session/open - (3)'.","verbose":"{\"viewModel\":\"hello\"}"}"#)
    ]
}
