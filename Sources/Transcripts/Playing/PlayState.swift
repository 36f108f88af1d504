import JSON
import JSONRPC

/// The state of a play that sending, matching and updating share.
struct PlayState {
    let options: Player.Options
    var window: TranscriptWindow
    /// The correlation of this play's messages; that of the transcript's lines is the window's.
    var correlation: Correlation
    var bindings = Bindings()
    /// Connections on which the other side sends nothing more.
    var ended: Set<Int> = []
    /// The time that the owner reported last, in milliseconds since the play began.
    var time = 0

    init(_ reader: TranscriptReader, _ options: Player.Options) {
        self.options = options
        window = TranscriptWindow(reader, played: options.side, isUnbounded: options.isUpdating)
        correlation = Correlation(checked: options.side.opposite)
    }

    var checkedSide: TranscriptSide { options.side.opposite }

    func isPlayed(_ line: TranscriptLine) -> Bool { line.entry.from == options.side }

    /// Returns the index of the line with the answer to the same request, or of the batch with one of the answers.
    func lineAnswering(_ shape: ContentShape, on connection: Int) -> Int? {
        switch shape {
        case .message(let message) where message.kind == .answer && message.id != nil:
            window.answers.first(CallID(id: message.id, connection: connection))
        case .batch(let messages):
            messages.lazy.compactMap { window.batches.first(CallID(id: $0.id, connection: connection)) }.first
        default: nil
        }
    }

    /// Returns the bindings that follow from a line and the content that came for it.
    ///
    /// - Throws: `Difference` if the content doesn't match the line.
    func bindings(from line: TranscriptLine, and content: TranscriptEntry.Content) throws(Difference) -> Bindings {
        switch (line.entry.content, content) {
        case (.message(let expected), .message(let actual)):
            var comparison = comparison(hasMatchers: line.hasMatchers, on: line.entry.connection)
            try comparison.compare(expected, actual)
            return comparison.learnt
        case (.text(let expected), .text(let actual)):
            guard expected == "\(TranscriptEntry.redacted)" || ScalarString(expected) == ScalarString(actual) else {
                throw Difference("another text came")
            }
            return Bindings()
        case (.message, _): throw Difference("expected a message but text came that is no JSON")
        case (.text, _): throw Difference("expected text that is no JSON but a message came")
        case (.unframed, _): throw Difference("expected bytes without framing but a message came")
        case (.end, _): throw Difference("expected the end of the connection but a message came")
        }
    }

    func comparison(hasMatchers: Bool, on connection: Int) -> MessageComparison {
        MessageComparison(
            sender: checkedSide, connection: connection, hasMatchers: hasMatchers,
            takesAnyServer: options.takesAnyServer, matchers: window.matchers, known: bindings)
    }

    /// Returns the failure for a line that can't come any more, as its connection has ended.
    mutating func missing(_ index: Int) -> PlayerFailure {
        failure(
            at: index, "the connection ended, and line \(window[index].entry.line) was expected",
            expected: window[index].entry.content.text)
    }

    mutating func failure(
        at index: Int, _ reason: String, _ difference: JSONPointer? = nil, expected: String? = nil,
        actual: String? = nil
    ) -> PlayerFailure {
        let around = window.lines(around: index)
        let number = index >= window.start && index < window.end ? window[index].entry.line : 0
        return PlayerFailure(
            path: window.reader.path, line: number, reason: reason, difference: difference, expected: expected,
            actual: actual, around: around)
    }
}
