import JSON

/// A line of a transcript in play: its entry, what was found out about it when it was read, and its progress.
struct TranscriptLine {
    /// The number of bytes of a line that a failure shows.
    static let shownBytes = 1000

    /// Its index among the transcript's entries, from 0.
    let index: Int
    var entry: TranscriptEntry
    /// The text in the file; a text longer than `shownBytes` is cut one byte after that.
    let source: [UInt8]
    let shape: ContentShape
    let hasMatchers: Bool
    let stream: MessageStream
    /// The played line without which this one can't come.
    let cause: Int?
    /// It was sent, or has come, or isn't expected any more.
    var isDone = false
    /// It isn't expected any more, and is left out of the updated transcript.
    var isDropped = false
    /// A later line of its stream came first. This one may still come.
    var isPassed = false
    /// How many bytes of `unframed` content have come: it is split differently each time.
    var comeBytes = 0

    func isExpected(from side: TranscriptSide, on connection: Int) -> Bool {
        !isDone && entry.from == side && entry.connection == connection
    }

    /// Whether it contains an answer with an id.
    var hasAnswersID: Bool { shape.messages.contains { $0.kind == .answer && $0.id != nil } }

    func isAwaitedAnswer(from side: TranscriptSide) -> Bool { !isDone && entry.from == side && hasAnswersID }

    var byteCount: Int { entry.content.byteCount }
}
