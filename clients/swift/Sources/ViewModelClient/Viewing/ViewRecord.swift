package import JSON

/// A message about a view, in the session's order.
package enum ViewNews: Sendable, Equatable {
    case event(JSONText, seq: Int)
    /// A new beginning: the events that make up the state at `seq`, and in `shown` all children of the view.
    case snapshot([JSONText], seq: Int, shown: RemoteNavigation)
    case navigation(RemoteNavigation, seq: Int)
    /// Who has a view of the session now, this one among them. It has no number, and isn't sent again.
    case viewers([RemoteViewer])
    /// The view has ended. The last message, which isn't sent if this side has closed or detached the view.
    case ended(RemoteError)
}

/// A view as its client knows it, attached or on the way back to its session. Confined to the client's loop.
final class ViewRecord {
    /// A request to take the view off.
    struct Leaving {
        let endsSession: Bool
        /// Called once, when the view was taken off.
        let reply: (Result<Void, any Error>) -> Void
    }

    /// The view's id in this client, which is never used again.
    let id: Int
    let key: String
    /// The name by which the session recognizes this view on any connection.
    let client: String
    let receive: @Sendable (ViewNews) -> Void
    /// The number of the session on this connection; nil while the view isn't attached.
    var number: Int?
    /// The number of the newest event that has come.
    var seq: Int
    /// The history that `seq` counts in; nil if the server names none.
    var epoch: String?
    var events = ViewEventQueue()
    let lists = ViewLists()
    /// The newest number behind which messages were missing.
    var lastMissed: Int?
    /// Whether the server ended the view because too much waited for it, so that it is being attached again.
    var hasOverflowed = false
    /// Whether the view couldn't be attached again because the server's store couldn't be used.
    var waitsForStore = false
    /// Whether the view was once replaced by another one on this connection.
    var wasReplaced = false
    /// The request to take the view off, now or when it is attached again; nil if there is none.
    var leaving: Leaving?

    init(id: Int, key: String, client: String, number: Int, seq: Int, receive: @escaping @Sendable (ViewNews) -> Void) {
        self.id = id
        self.key = key
        self.client = client
        self.number = number
        self.seq = seq
        self.receive = receive
    }
}
