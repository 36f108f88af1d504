package import JSON

/// One line of a transcript after its header.
package struct TranscriptEntry: Equatable, Sendable {
    /// What a line holds: a member of the same name.
    package enum Content: Equatable, Sendable {
        /// One JSON-RPC message, or a batch; compact.
        case message(JSONText)
        /// What stood where a message should, well framed and in UTF-8, and is no JSON.
        case text(String)
        /// Bytes that no framing could take apart, as text; all that follows on this side of its connection is of this kind.
        case unframed(String)
        /// This side sends no more on the connection.
        case end
    }

    /// Stands for a token that was taken out, and for what is no message and so couldn't be looked into.
    package static let redacted: StaticString = "[redacted]"

    /// Where it stands in its file, from 1; the header is line 1.
    package var line: Int
    package var from: TranscriptSide
    /// From 1, in the order in which connections were made.
    package var connection: Int
    /// Milliseconds since the transcript began.
    package var at: Int
    package var content: Content

    package init(line: Int = 0, from: TranscriptSide, connection: Int = 1, at: Int = 0, content: Content) {
        self.line = line
        self.from = from
        self.connection = connection
        self.at = at
        self.content = content
    }
}
