import JSON

/// A view as its client knows it, attached or on the way back to its session. Confined to the client's loop.
final class ViewRecord {
    /// Of this client, and never used again.
    let id: Int
    let key: String
    /// How the session knows this view again, whatever connection it comes from.
    let client: String
    let receive: @Sendable (ViewNews) -> Void
    /// On this connection; nil while it isn't attached.
    var number: Int?
    /// The newest that came.
    var seq: Int
    /// Sent on this connection, in order.
    var inFlight: [PendingEvent] = []
    /// To be sent, in order.
    var unsent: [PendingEvent] = []
    /// The number of the last event that was sent.
    var lastNumber = 0
    /// The session had no room for the event with this number, and so takes none of those behind it, which come back.
    var refusedNumber: Int?
    /// Those that came back, in order.
    var returned: [PendingEvent] = []
    /// The view is to be taken off in this way, once it is attached.
    var leaving: Leaving?

    struct Leaving {
        let endsSession: Bool
        /// Called once.
        let reply: (Result<Void, any Error>) -> Void
    }

    init(id: Int, key: String, client: String, number: Int, seq: Int, receive: @escaping @Sendable (ViewNews) -> Void) {
        self.id = id
        self.key = key
        self.client = client
        self.number = number
        self.seq = seq
        self.receive = receive
    }

    /// All that was sent and not answered waits to be sent again.
    func didLoseConnection() {
        number = nil
        unsent = (returned + inFlight).sorted { ($0.number ?? 0) < ($1.number ?? 0) } + unsent
        inFlight = []
        returned = []
        refusedNumber = nil
    }

    /// The session has taken this view's events up to `handled`: those behind are the next ones. What it has taken keeps its
    /// number, by which it is answered without being handled again.
    func renumber(after handled: Int) {
        lastNumber = handled
        for event in unsent where (event.number ?? .max) > handled { event.number = nil }
    }

    /// One that isn't on its way.
    func takeUnsent(_ ticket: Int) -> PendingEvent? {
        if let place = unsent.firstIndex(where: { $0.ticket == ticket }) { return unsent.remove(at: place) }
        return returned.firstIndex { $0.ticket == ticket }.map { returned.remove(at: $0) }
    }

    func takeAllPending() -> [PendingEvent] {
        defer { (returned, inFlight, unsent) = ([], [], []) }
        return returned + inFlight + unsent
    }
}
