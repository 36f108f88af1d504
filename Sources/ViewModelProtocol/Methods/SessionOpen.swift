package import JSON
package import JSONRPC

/// Makes a session with its first view, or finds the one of the view model's scope. The view model starts after the answer.
package enum SessionOpen: ClientMethod {
    package static let name: StaticString = "session/open"
    package static let viewEffect = ViewEffect.attaches
    package static let errors: [ErrorCode] = [
        .requestCancelled, .unknownViewModel, .unknownSession, .replayUnavailable, .storeUnavailable,
    ]

    package struct Params: Codable, Sendable {
        /// The name under which the view model is registered.
        package var viewModel: String
        /// The arguments that the view model is made from, by its own schema. null counts as none.
        package var arguments: JSONText?
        /// A name of the client's choosing, kept over reconnects, under which it numbers its view events.
        package var client: String?
        /// Made at random by the client for this opening. An open that is sent again with it, since its answer was lost,
        /// attaches a view to the same session, as long as that lives, and its events follow from the first. The view model
        /// and the arguments must be the same.
        package var once: OnceText?
        /// Whether the view is told who is here, by session/views.
        package var views: Bool?

        package init(
            viewModel: String, arguments: JSONText? = nil, client: String? = nil, once: OnceText? = nil,
            views: Bool? = nil
        ) {
            self.viewModel = viewModel
            self.arguments = arguments
            self.client = client
            self.once = once
            self.views = views
        }
    }

    /// The session, and its view on this connection.
    package struct Result: Codable, Sendable {
        package var session: ViewNumber
        package var key: SessionKey
        /// The name under which the view model is registered.
        package var viewModel: String
        /// Names the history that the numbers of the session's events belong to. A client keeps it for session/attach. Absent
        /// from servers of protocol 1.0 and 1.1.
        package var epoch: EpochText?
        /// Whether this opening has made the session. Only for a view model whose sessions are found again: one with a scope.
        package var isNew: Bool?
        /// The number of the session's newest event, where the session was found and has events. Then the answer is that of
        /// session/attach without since.
        package var seq: SequenceNumber?
        /// Events without numbers that bring the view up to seq; where there is a seq.
        package var snapshot: [EventObject]?
        /// The highest number of a view event that was taken from this client, as in session/attach; where the session was
        /// found.
        package var handled: Count?
        /// Absent where the session hosts nothing, and where there is no seq.
        package var navigation: SessionAttach.NavigationState?

        package init(
            session: ViewNumber, key: SessionKey, viewModel: String, epoch: EpochText?, isNew: Bool? = nil,
            seq: SequenceNumber? = nil, snapshot: [EventObject]? = nil, handled: Count? = nil,
            navigation: SessionAttach.NavigationState? = nil
        ) {
            self.session = session
            self.key = key
            self.viewModel = viewModel
            self.epoch = epoch
            self.isNew = isNew
            self.seq = seq
            self.snapshot = snapshot
            self.handled = handled
            self.navigation = navigation
        }
    }

    package static let examples = [
        MessageExample(
            "a counter", #"{"viewModel":"counter","arguments":{"start":40}}"#,
            result: #"{"session":1,"key":"key-1","viewModel":"counter","epoch":"1"}"#),
        MessageExample(
            "a view that numbers its events", #"{"viewModel":"counter","client":"phone"}"#,
            result: #"{"session":1,"key":"key-1","viewModel":"counter","epoch":"1"}"#),
        MessageExample(
            "an open that can be sent again",
            #"{"viewModel":"counter","arguments":{"start":7},"client":"phone","once":"8sIc3TtZ0mWvE5rKq1LhYw"}"#,
            result: #"{"session":1,"key":"key-1","viewModel":"counter","epoch":"1"}"#),
    ]
}
