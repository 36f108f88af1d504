import JSON

/// A line of a transcript with what is known about it before it is played or expected.
struct ScriptLine {
    /// How much of a line a failure shows.
    static let shownBytes = 1000

    /// Where it stands among the transcript's entries, from 0.
    let index: Int
    var entry: TranscriptEntry
    /// As it stands in the file; of a longer one than `shownBytes` one byte more.
    let source: [UInt8]
    let shape: ContentShape
    let hasMatchers: Bool
    let stream: MessageStream
    /// The played line that must have been sent before this one can come.
    let cause: Int?
    /// It was sent, or it came, or it is expected no more.
    var isDone = false
    /// It is expected no more, and has no place in the transcript as it is to be written.
    var isDropped = false
    /// Something of its stream came before it, and it may come still.
    var isPassed = false
    /// How much has come, in bytes, of what is `unframed`: it comes in other pieces each time.
    var comeBytes = 0

    func isExpected(from side: TranscriptSide, on connection: Int) -> Bool {
        !isDone && entry.from == side && entry.connection == connection
    }

    /// Whether it answers a call by its id, or several.
    var hasAnswersID: Bool { shape.messages.contains { $0.kind == .answer && $0.id != nil } }

    func isAwaitedAnswer(from side: TranscriptSide) -> Bool { !isDone && entry.from == side && hasAnswersID }

    var byteCount: Int { entry.content.byteCount }
}

extension TranscriptEntry.Content {
    var byteCount: Int {
        switch self {
        case .message(let message): message.bytes.count
        case .text(let text), .unframed(let text): text.utf8.count
        case .end: 0
        }
    }

    /// For people.
    var text: String {
        switch self {
        case .message(let message): message.description
        case .text(let text), .unframed(let text): text
        case .end: "(the end of the connection)"
        }
    }
}
