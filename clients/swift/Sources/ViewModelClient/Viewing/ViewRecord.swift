package import JSON

/// A message to a view, in order.
package enum ViewNews: Sendable, Equatable {
    case event(JSONText, seq: Int)
    /// A new beginning: the events that bring a View without any up to `seq`, and in `shown` all its children.
    case snapshot([JSONText], seq: Int, shown: RemoteNavigation)
    case navigation(RemoteNavigation, seq: Int)
    /// The last one, unless the view was closed or detached from this side.
    case ended(RemoteError)
}

/// A view as its client knows it, attached or on the way back to its session. Confined to the client's loop.
final class ViewRecord {
    /// The wish to take a view off.
    struct Leaving {
        let endsSession: Bool
        /// Called once.
        let reply: (Result<Void, any Error>) -> Void
    }

    /// Names the view in this client, and is never used again.
    let id: Int
    let key: String
    /// The name by which the session knows this view again, whatever connection it comes from.
    let client: String
    let receive: @Sendable (ViewNews) -> Void
    /// The session's number on this connection; nil while the view isn't attached.
    var number: Int?
    /// The number of the newest event that came.
    var seq: Int
    /// The history that `seq` is a number of; nil of a server that names none.
    var epoch: String?
    var events = ViewEventQueue()
    let lists = ViewLists()
    /// The newest number behind which something was missing.
    var lastMissed: Int?
    /// The server ended the view because too much waited for it; it is being attached again.
    var hasOverflowed = false
    /// It couldn't be attached again, since the server's store couldn't be used.
    var waitsForStore = false
    /// Another view has taken its place on this connection once.
    var wasReplaced = false
    /// Set when the view is to be taken off: at once, or when it is attached again.
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
