/// Asks for the sessions that have a view on this connection.
package enum SessionList: ClientMethod {
    package static let name: StaticString = "session/list"
    package static let viewEffect = ViewEffect.ofConnection
    package typealias Params = NoParams

    /// The sessions that have a view on this connection.
    package struct Result: Codable, Sendable {
        /// In the order of attachment.
        package var sessions: [ListedSession]

        package init(sessions: [ListedSession]) { self.sessions = sessions }
    }

    /// A session that has a view on this connection.
    package struct ListedSession: Codable, Sendable {
        package var session: ViewNumber
        package var key: SessionKey
        /// The name under which the view model is registered.
        package var viewModel: String
        /// The number of the session's newest event.
        package var seq: SequenceNumber
        /// How many views the session has, on all connections.
        package var views: PositiveCount
        /// The server that has the session, for people: "process 12 on host x". Missing where servers share no store.
        package var server: String?

        package init(
            session: ViewNumber, key: SessionKey, viewModel: String, seq: SequenceNumber, views: PositiveCount,
            server: String? = nil
        ) {
            self.session = session
            self.key = key
            self.viewModel = viewModel
            self.seq = seq
            self.views = views
            self.server = server
        }
    }

    package static let examples = [
        MessageExample(
            "two sessions",
            result: """
                {"sessions":[{"session":1,"key":"key-1","viewModel":"counter","seq":2,"views":1},\
                {"session":2,"key":"key-2","viewModel":"hello","seq":2,"views":1}]}
                """)
    ]
}
