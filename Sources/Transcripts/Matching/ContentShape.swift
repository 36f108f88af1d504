import JSON

/// The shape of what a line holds.
enum ContentShape {
    case message(MessageShape)
    case batch([MessageShape])
    /// Anything else, which only its connection tells apart.
    case text

    init(_ content: TranscriptEntry.Content) {
        guard case .message(let text) = content else {
            self = .text
            return
        }
        self = text.withValue { value in
            guard value.kind == .array else { return .message(MessageShape(value)) }
            var shapes: [MessageShape] = []
            value.forEachElement { shapes.append(MessageShape($0)) }
            return .batch(shapes)
        }
    }

    /// Of the message, or of each in a batch.
    var messages: [MessageShape] {
        switch self {
        case .message(let message): [message]
        case .batch(let messages): messages
        case .text: []
        }
    }
}
