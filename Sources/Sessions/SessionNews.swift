/// What a session has for one view.
package struct SessionNews: Sendable {
    /// One entry of the log, in the order in which it must be sent.
    package struct Event: Sendable {
        package let number: Int
        package let content: SessionLog.Content
        /// The number that this view was sent before, where it isn't the one before this.
        package let after: Int?
        /// The next event came with nothing between.
        package let isFollowedAtOnce: Bool
    }

    package var events: [Event] = []
    /// More events wait.
    package var hasMore = false
    /// Nothing is left for the view, neither events nor its end, so it will be told when there is something again.
    package var isAll = false
    /// The view ends after these events.
    package var end: EndReason?
}
