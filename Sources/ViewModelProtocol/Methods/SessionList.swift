package import JSON
package import JSONRPC

/// Asks for the sessions that have a view on this connection; with `kept`, for those that the client's person may come back
/// to.
package enum SessionList: ClientMethod {
    package static let name: StaticString = "session/list"
    package static let viewEffect = ViewEffect.ofConnection
    package static let errors: [ErrorCode] = [.storeUnavailable]
    /// The most sessions in a list of `kept` ones. The length of their arguments together is bounded by the limit
    /// `messageBytes`, too.
    package static let longestKeptList = 1_000

    /// Which sessions.
    package struct Params: Codable, Sendable {
        /// Whether the sessions are those that the person may come back to, in place of those with a view here: the sessions of
        /// the scope `person`, the durable ones that this person opened, and those of the scope `everyone`. A session that was
        /// pushed or presented is found by its root.
        ///
        /// A person is the principal, who is the name of the token; without one, the user of a Unix socket or of standard
        /// input. On TCP, all who have no principal are one person to the server, so they are told of the scope `everyone`
        /// alone.
        ///
        /// The most recently used sessions come first. Of more than 1,000, or of more than a message of the limit
        /// `messageBytes` has room for, the others are left out. The list takes no session from another server, and isn't a use
        /// of one.
        package var kept: Bool?

        package init(kept: Bool? = nil) { self.kept = kept }
    }

    /// The sessions.
    package struct Result: ConstrainedObject {
        /// In the order of attachment; with `kept`, the most recently used first.
        package var sessions: [ListedSession]

        package init(sessions: [ListedSession]) { self.sessions = sessions }

        package static let constraints = """
            {"allOf":[{"properties":{"sessions":{"items":{"oneOf":[\
            {"required":["session","seq","views"],"properties":{"views":{"minimum":1}}},\
            {"required":["lastUsed"],"not":{"required":["session"]}}]}}}}]}
            """
    }

    /// A session in the list.
    package struct ListedSession: Codable, Sendable {
        /// The view on this connection. Missing with `kept`.
        package var session: ViewNumber?
        package var key: SessionKey
        /// The name under which the view model is registered. With `kept`, it may be one that this server doesn't have.
        package var viewModel: String
        /// The arguments that the session was opened with. Only with `kept`, and missing where there were none.
        package var arguments: JSONText?
        /// What the session is about, in a few words for people, where the view model says so. Only with `kept`.
        package var title: String?
        /// When somebody last had a view of it, or of what is on or over it, in UTC: now, where somebody has. Of a session that
        /// is only stored, it is when it left memory. Only with `kept`.
        package var lastUsed: TimeText?
        /// The number of the session's newest event. Missing with `kept`.
        package var seq: SequenceNumber?
        /// How many views the session has, on all connections. Missing with `kept` where another server has the session.
        package var views: Count?
        /// The server that has the session, for people: "process 12 on host x". Missing where servers share no store, and
        /// with `kept` where no server has it in memory.
        package var server: String?

        /// Makes a session that has a view on this connection.
        package init(
            session: ViewNumber, key: SessionKey, viewModel: String, seq: SequenceNumber, views: Count,
            server: String? = nil
        ) {
            self.session = session
            self.key = key
            self.viewModel = viewModel
            self.seq = seq
            self.views = views
            self.server = server
        }

        /// Makes a session that the person may come back to.
        package init(
            key: SessionKey, viewModel: String, arguments: JSONText?, title: String?, lastUsed: TimeText, views: Count?,
            server: String?
        ) {
            self.key = key
            self.viewModel = viewModel
            self.arguments = arguments
            self.title = title
            self.lastUsed = lastUsed
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
                """),
        MessageExample(
            "the sessions to come back to", #"{"kept":true}"#,
            result: """
                {"sessions":[{"key":"key-2","viewModel":"todos","arguments":{"list":"shopping"},\
                "title":"1 open, 0 done","lastUsed":"1970-01-01T00:18:10Z","views":1},{"key":"key-1",\
                "viewModel":"counter","arguments":{"start":3},"lastUsed":"1970-01-01T00:17:40Z","views":0}]}
                """),
    ]
}
