package import JSONRPC

/// A View's event for its view model. As a request it is answered when the view model has handled it.
package enum ViewEvent: ClientMethod {
    package static let name: StaticString = "view/event"
    package static let kind = MethodKind.either
    package static let errors: [ErrorCode] = [
        .requestCancelled, .unknownSession, .storeUnavailable, .forbidden,
    ]

    package struct Params: Codable, Sendable {
        package var session: ViewNumber
        package var event: EventObject
        /// 1, 2, 3, …, counted by a client with a name. A number that was taken before is answered without being applied.
        package var number: PositiveCount?
        /// Asks for $/progress under this token, which no other request has whose progress goes on.
        package var workDoneToken: ProgressToken?

        package init(
            session: ViewNumber, event: EventObject, number: PositiveCount? = nil, workDoneToken: ProgressToken? = nil
        ) {
            self.session = session
            self.event = event
            self.number = number
            self.workDoneToken = workDoneToken
        }
    }

    /// The view model has handled the event.
    package struct Result: Codable, Sendable {
        /// The number of the session's newest event when the handler returned.
        package var seq: SequenceNumber
        /// The handler started work that goes on and has its progress: $/progress goes on until its end, which always follows.
        package var progress: Flag?

        package init(seq: SequenceNumber, progress: Flag? = nil) {
            self.seq = seq
            self.progress = progress
        }
    }

    package static let examples = [
        MessageExample(
            "counting up", #"{"session":1,"event":{"kind":"increment","by":1}}"#, result: #"{"seq":2}"#),
        MessageExample(
            "a numbered event", #"{"session":1,"event":{"kind":"increment","by":1},"number":1}"#,
            result: #"{"seq":2}"#),
        MessageExample(
            "loading, with progress", #"{"session":1,"event":{"kind":"loadOrders"},"workDoneToken":"load-1"}"#,
            result: #"{"seq":3}"#),
        MessageExample(
            "work that goes on after the answer", #"{"session":1,"event":{"kind":"start"},"workDoneToken":"time"}"#,
            result: #"{"seq":4,"progress":true}"#),
    ]
}
