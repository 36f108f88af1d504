/// The events that a session hands to one view, and the view's end.
package struct ViewDelivery: Sendable {
    /// One entry of the log, in the order in which it must be sent.
    package struct Event: Sendable {
        package let number: Int
        package let content: SessionLog.Content
        /// The number that this view was sent last, where that isn't the number just before this one.
        package let after: Int?
        /// Whether the next event was sent in the same turn.
        package let isFollowedAtOnce: Bool
    }

    /// The first event, nearly always the only one, which needs no array.
    private var first: Event?
    private var others: [Event] = []
    /// Whether more events wait.
    package var hasMore = false
    /// Whether nothing is left for the view, neither events nor its end, so that its viewer is woken for the next event.
    package var isAll = false
    /// Why the view ends after these events; nil where it goes on.
    package var end: EndReason?

    init(end: EndReason? = nil) {
        self.end = end
    }

    mutating func append(_ event: Event) {
        if first == nil { first = event } else { others.append(event) }
    }

    var isEmpty: Bool { first == nil }

    /// The number of the last event; nil when there is none.
    package var newest: Int? { others.last?.number ?? first?.number }

    package func forEachEvent(_ body: (Event) -> Void) {
        guard let first else { return }
        body(first)
        for event in others { body(event) }
    }

    package var events: [Event] { (first.map { [$0] } ?? []) + others }
}
