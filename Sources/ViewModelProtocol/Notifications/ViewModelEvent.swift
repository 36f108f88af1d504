/// A view model's event for its View.
package enum ViewModelEvent: ServerNotification {
    package static let name: StaticString = "viewModel/event"

    package struct Params: Codable, Sendable {
        package var session: ViewNumber
        package var seq: EventNumber
        package var event: EventObject
        /// The number that this view was sent before, where newer events have replaced those between. Absent where it is
        /// seq - 1.
        package var after: SequenceNumber?
        /// Another event of the same turn follows at once. Absent otherwise.
        package var more: Flag?

        package init(
            session: ViewNumber, seq: EventNumber, event: EventObject, after: SequenceNumber? = nil, more: Flag? = nil
        ) {
            self.session = session
            self.seq = seq
            self.event = event
            self.after = after
            self.more = more
        }
    }

    package static let examples = [
        MessageExample("a count", #"{"session":1,"seq":2,"event":{"kind":"count","value":42}}"#),
        MessageExample(
            "more follows at once",
            #"{"session":2,"seq":1,"event":{"kind":"title","value":"Details of Order #7"},"more":true}"#),
        MessageExample(
            "a list's change, with the rows that are shown",
            """
            {"session":1,"seq":5,"event":{"kind":"chosen","count":2,"changes":[{"at":1,"removed":0,"inserted":1}],\
            "first":0,"rows":[{"id":7,"square":49},{"id":3,"square":9}]},"more":true}
            """),
    ]
}
