import JSON

/// A line of a transcript in play: its entry, what was found out about the line when it was read, and its progress.
struct TranscriptLine {
    /// The number of bytes of a line that a failure shows.
    static let shownBytes = 1000

    /// The line's index among the transcript's entries, from 0.
    let index: Int
    var entry: TranscriptEntry
    /// The line's text in the file. A text longer than `shownBytes` is cut to one byte more than that.
    let source: [UInt8]
    let shape: ContentShape
    let hasMatchers: Bool
    let stream: MessageStream
    /// The index of the played line that must precede this one; nil if there is none.
    let cause: Int?
    /// Whether the line was sent, has come, or isn't expected any more.
    var isDone = false
    /// Whether the line isn't expected any more and is left out of the updated transcript.
    var isDropped = false
    /// Whether a later line of its stream came first. This line may still come.
    var isPassed = false
    /// The number of bytes of `unframed` content that have come: it is split differently in each play.
    var comeBytes = 0

    func isExpected(from side: TranscriptSide, on connection: Int) -> Bool {
        !isDone && entry.from == side && entry.connection == connection
    }

    /// Whether the line contains an answer with an id.
    var hasAnswersID: Bool { shape.messages.contains { $0.kind == .answer && $0.id != nil } }

    func isAwaitedAnswer(from side: TranscriptSide) -> Bool { !isDone && entry.from == side && hasAnswersID }

    var byteCount: Int { entry.content.byteCount }
}
