import JSON

/// What is rarely to be known of a session beside its numbers and its state. Stored as one text, and anew whenever it changes.
package struct SessionNotes: Sendable, Equatable, Codable {
    /// Numbered events that weren't handled, the newest last.
    package var unhandled: [UnhandledEvent]
    /// Nil where nothing is missing from the log.
    package var unsent: UnsentEvent?

    package init(unhandled: [UnhandledEvent] = [], unsent: UnsentEvent? = nil) {
        (self.unhandled, self.unsent) = (unhandled, unsent)
    }

    /// - Parameter text: what can't be read, as a newer server's, counts as nothing.
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
    /// The newest number then: a view that has seen no more lacks this event.
    package let newest: Int
    /// An event with this key makes up for it.
    package let key: String?

    package init(newest: Int, key: String?) {
        (self.newest, self.key) = (newest, key)
    }
}
