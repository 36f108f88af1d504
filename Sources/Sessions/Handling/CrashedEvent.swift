import JSON

/// A numbered view event of a durable session in whose handler a process ended. Its client sends it again, to the next process.
package struct CrashedEvent: Codable, Hashable, Sendable {
    /// The session's key.
    package let session: String
    package let client: String
    package let number: Int

    package init(session: String, client: String, number: Int) {
        (self.session, self.client, self.number) = (session, client, number)
    }

    /// Reads an event; nil where this isn't the JSON text of one.
    package init?(text: [UInt8]) {
        let event = text.withUnsafeBytes { bytes -> CrashedEvent? in
            guard let text = try? JSONText(validating: bytes) else { return nil }
            return text.withValue { try? ValueDecoder().decode(CrashedEvent.self, from: $0) }
        }
        guard let event else { return nil }
        self = event
    }

    /// The JSON text. Strings and numbers always have one.
    package var text: [UInt8]? { try? SavedText.text(of: self) }
}
