import JSON

/// A View's event that its view model hasn't handled, as far as is known.
final class PendingEvent {
    let ticket: Int
    let event: JSONText
    let hasProgress: Bool
    /// Called once, with the number of the session's newest event.
    let reply: (Result<Int, any Error>) -> Void
    /// Given when it is sent, kept when it is sent again.
    var number: Int?

    init(
        _ event: JSONText, ticket: Int, hasProgress: Bool, reply: @escaping (Result<Int, any Error>) -> Void
    ) {
        self.event = event
        self.ticket = ticket
        self.hasProgress = hasProgress
        self.reply = reply
    }
}
