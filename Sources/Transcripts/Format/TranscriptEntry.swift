package import JSON

/// The peer that sent the content of a line.
package enum TranscriptSide: String, Sendable, CaseIterable {
    case client
    case server

    package var opposite: TranscriptSide { self == .client ? .server : .client }
}

/// One line of a transcript after its header.
package struct TranscriptEntry: Equatable, Sendable {
    /// The content of a line: the one member that has the same name as one of the cases.
    package enum Content: Equatable, Sendable {
        /// A JSON-RPC message or a batch, compact.
        case message(JSONText)
        /// The body of a well-formed frame that is UTF-8 but not JSON.
        case text(String)
        /// Bytes that belong to no frame. From then on, all content of this side of the connection is `unframed`.
        case unframed(String)
        /// The side sends nothing more on this connection.
        case end
    }

    /// The text in place of a token that was redacted. It also replaces content that isn't a message, in which secrets can't be
    /// found.
    package static let redacted: StaticString = "[redacted]"

    /// The line's number in the file, from 1, where 1 is the header; 0 for an entry that isn't from a file.
    package var line: Int
    package var from: TranscriptSide
    /// The connection's number, from 1, in the order in which connections were made.
    package var connection: Int
    /// The time of the line, in milliseconds since the transcript began.
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

extension TranscriptEntry.Content {
    var byteCount: Int {
        switch self {
        case .message(let message): message.bytes.count
        case .text(let text), .unframed(let text): text.utf8.count
        case .end: 0
        }
    }

    /// The content as reports to people show it.
    var text: String {
        switch self {
        case .message(let message): message.description
        case .text(let text), .unframed(let text): text
        case .end: "(the end of the connection)"
        }
    }

    var isUnframed: Bool {
        if case .unframed = self { true } else { false }
    }
}
