package import JSONRPC

/// Adds a view to a running session.
package enum SessionAttach: ClientMethod {
    package static let name: StaticString = "session/attach"
    package static let viewEffect = ViewEffect.attaches
    package static let errors: [ErrorCode] = [
        .requestCancelled, .unknownSession, .replayUnavailable, .storeUnavailable,
    ]

    package struct Params: Codable, Sendable {
        /// A key of the session: its own, or one that session/key has given.
        package var key: String
        /// The number of the last event that the client has: those after it follow. Without it the answer has a snapshot.
        package var since: SequenceNumber?
        /// The epoch that the last answer to session/open or session/attach had, which since is a number of. Where the session
        /// has another history since then, the answer has a snapshot.
        package var epoch: String?
        /// A name of the client's choosing, kept over reconnects, under which it numbers its view events. Another view of the
        /// session that has this name ends (`replaced`).
        package var client: String?
        /// Whether the view is told who is here, by session/views.
        package var views: Bool?

        package init(
            key: String, since: SequenceNumber? = nil, epoch: String? = nil, client: String? = nil, views: Bool? = nil
        ) {
            self.key = key
            self.since = since
            self.epoch = epoch
            self.client = client
            self.views = views
        }
    }

    /// The session's view on this connection, and how far the session is.
    package struct Result: Codable, Sendable {
        package var session: ViewNumber
        /// The name under which the view model is registered.
        package var viewModel: String
        /// The number of the session's newest event.
        package var seq: SequenceNumber
        /// Names the history that the numbers belong to. A client keeps it for the next session/attach. Absent from servers of
        /// protocol 1.0 and 1.1.
        package var epoch: EpochText?
        /// Events without numbers that bring a new view up to seq. Absent where the events after since follow.
        package var snapshot: [EventObject]?
        /// The highest number of a view event that was taken from this client. Absent where the client has no name, or the
        /// session has forgotten it: then events that it sent and that weren't answered may have been taken. Absent for a key
        /// that only lets it look, as no event is taken then.
        package var handled: Count?
        /// Absent where the session hosts nothing.
        package var navigation: NavigationState?
        /// What the key allows. Absent where that is everything.
        package var access: Access?

        package init(
            session: ViewNumber, viewModel: String, seq: SequenceNumber, epoch: EpochText?,
            snapshot: [EventObject]? = nil, handled: Count? = nil, navigation: NavigationState? = nil,
            access: Access? = nil
        ) {
            self.session = session
            self.viewModel = viewModel
            self.seq = seq
            self.epoch = epoch
            self.snapshot = snapshot
            self.handled = handled
            self.navigation = navigation
            self.access = access
        }
    }

    /// The sessions that a session hosts, for a View that comes late.
    package struct NavigationState: Codable, Sendable {
        /// The pushed children, the lowest first, without the session itself.
        package var stack: [Child]
        /// The child that is presented over it, or null.
        package var presented: Nullable<Child>

        package init(stack: [Child], presented: Child?) {
            self.stack = stack
            self.presented = Nullable(presented)
        }
    }

    /// A child to attach to.
    package struct Child: Codable, Hashable, Sendable {
        /// The name under which the view model is registered.
        package var viewModel: String
        package var key: SessionKey

        package init(viewModel: String, key: SessionKey) {
            self.viewModel = viewModel
            self.key = key
        }
    }

    package static let examples = [
        MessageExample(
            "a reader, who is told who is here", #"{"key":"key-2","client":"bob","views":true}"#,
            result: """
                {"session":1,"viewModel":"orders","seq":0,"epoch":"1","snapshot":[{"kind":"loading","value":false}],\
                "access":"read"}
                """),
        MessageExample(
            "a new view", #"{"key":"key-1"}"#,
            result: #"{"session":1,"viewModel":"counter","seq":1,"epoch":"1","snapshot":[{"kind":"count","value":0}]}"#),
        MessageExample(
            "a view that comes back", #"{"key":"key-1","client":"phone","since":1}"#,
            result: #"{"session":1,"viewModel":"counter","seq":3,"epoch":"1","handled":2}"#),
        MessageExample(
            "a view of a session that hosts a child", #"{"key":"key-2"}"#,
            result: """
                {"session":2,"viewModel":"orderDetails","seq":4,"epoch":"1","snapshot":[\
                {"kind":"title","value":"Details of Order #7"},{"kind":"cancelled","value":false},\
                {"kind":"note","value":"","isSaved":true}],\
                "navigation":{"stack":[],"presented":{"viewModel":"confirmCancel","key":"key-3"}}}
                """),
    ]
}
