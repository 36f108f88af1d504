import JSON

/// Facts about a session that are rarely needed, beside its numbers and its state. They are stored as one text, anew whenever
/// they change.
package struct SessionNotes: Sendable, Equatable, Codable {
    /// Numbered events that weren't handled, the newest last.
    package var unhandled: [UnhandledEvent]
    /// The event that couldn't be sent; nil where nothing is missing from the log.
    package var unsent: UnsentEvent?

    /// What the session has to do with shared sessions; nil where that is nothing.
    package var shared: [SharedNotes]?
    /// The title of a root; nil where its view model has none.
    package var title: String?

    package init(
        unhandled: [UnhandledEvent] = [], unsent: UnsentEvent? = nil, shared: [SharedNotes]? = nil,
        title: String? = nil
    ) {
        (self.unhandled, self.unsent, self.shared, self.title) = (unhandled, unsent, shared, title)
    }

    /// - Parameter text: a text that can't be read, as a newer server's, counts as no notes.
    package init(text: [UInt8]) {
        var unread: [JSONPointer] = []
        self = (try? SavedText.decode(Self.self, text, unread: &unread)) ?? SessionNotes()
    }

    package var text: [UInt8] {
        // Strings and numbers always have one.
        (try? SavedText.text(of: self)) ?? []
    }
}

/// An event that couldn't be sent, as it is too long for a message, or JSON can't express it. It has no number.
package struct UnsentEvent: Sendable, Equatable, Codable {
    /// The newest number when the event came: a view that has seen no more lacks this event.
    package let newest: Int
    /// The event's key. A later event with the same key makes up for it.
    package let key: String?

    package init(newest: Int, key: String?) {
        (self.newest, self.key) = (newest, key)
    }
}
