/// The events that a session hands to one view, and the view's end.
package struct ViewDelivery: Sendable {
    /// One entry of the log, in the order in which it must be sent.
    package struct Event: Sendable {
        package let number: Int
        package let content: SessionLog.Content
        /// The number that this view was sent before, where it isn't the one before this.
        package let after: Int?
        /// The next event was sent in the same turn.
        package let isFollowedAtOnce: Bool
    }

    /// Nearly always the only one, for which there is no array.
    private var first: Event?
    private var others: [Event] = []
    /// More events wait.
    package var hasMore = false
    /// Nothing is left for the view, neither events nor its end, so that its viewer is woken for the next event.
    package var isAll = false
    /// The view ends after these events.
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
