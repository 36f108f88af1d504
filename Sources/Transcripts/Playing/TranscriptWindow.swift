import JSON
import Queues

/// The lines of a transcript that are in play: from the first that isn't done to some way beyond the next line to be played.
///
/// With a window, messages that come early are recognized, and a transcript of any length takes little memory. Lines are
/// identified by their index among all entries of the transcript.
struct TranscriptWindow {
    /// The number of lines to read beyond the next one to be played. `maximumCount` and `maximumBytes` limit the window as a
    /// whole, in case the next line to be played is far away.
    private static let maximumAhead = 1024
    private static let maximumCount = 8192
    /// The number of lines that the window may have during a search for a line that came before its turn. Such a search reads
    /// `searchedAtOnce` more lines at a time.
    private static let maximumSearched = 65_536
    private static let searchedAtOnce = 1024
    private static let maximumBytes = 16 << 20

    let reader: TranscriptReader
    private let played: TranscriptSide
    /// Whether `fill()` reads up to the next line to be played, past `maximumCount` and `maximumBytes`.
    private let isUnbounded: Bool

    private var lines = Deque<TranscriptLine>()
    /// The index of the first line.
    private(set) var start = 0
    private var playedLines = Deque<Int>()
    private var bytes = 0
    private var isExhausted = false
    private var correlation: Correlation
    private(set) var matchers = MatcherTable()
    /// The last lines before `start`, for a failure's report.
    private var history: [PlayerFailure.Line]

    // Indexes of the expected lines that haven't come: by stream, answered request, request answered in a batch, and
    // connection.
    private(set) var streams = LineIndex<MessageStream>()
    private(set) var answers = LineIndex<CallID>()
    private(set) var batches = LineIndex<CallID>()
    private(set) var ends = LineIndex<Int>()

    init(_ reader: TranscriptReader, played: TranscriptSide, isUnbounded: Bool) {
        self.reader = reader
        self.played = played
        self.isUnbounded = isUnbounded
        correlation = Correlation(checked: played.opposite)
        history = [PlayerFailure.Line(number: 1, text: Self.shown(reader.text))]
    }

    /// The index behind the last line that was read.
    var end: Int { start + lines.count }

    var first: TranscriptLine? { lines.first }

    /// The index of the next line to be played; `end` if none was read.
    var nextPlayed: Int { playedLines.first ?? end }

    subscript(index: Int) -> TranscriptLine {
        get { lines[index - start] }
        set { lines[index - start] = newValue }
    }

    /// Reads lines as far as the limits allow.
    ///
    /// - Throws: `TranscriptError` if a line is invalid.
    mutating func fill() throws(TranscriptError) {
        while !isExhausted, lines.isEmpty || mayReadOn { try readLine() }
    }

    /// Reads lines beyond the usual limits, in a search for one.
    ///
    /// - Returns: false if no line was added.
    /// - Throws: `TranscriptError` if a line is invalid.
    mutating func readFurther() throws(TranscriptError) -> Bool {
        let before = lines.count
        while !isExhausted, lines.count < before + Self.searchedAtOnce, lines.count < Self.maximumSearched,
            bytes < Self.maximumBytes
        {
            try readLine()
        }
        return lines.count > before
    }

    private var mayReadOn: Bool {
        guard end - nextPlayed < Self.maximumAhead else { return false }
        if isUnbounded, playedLines.isEmpty { return true }
        return bytes < Self.maximumBytes && lines.count < Self.maximumCount
    }

    /// Marks a line as done: it was sent, has come, or isn't expected any more.
    mutating func markDone(_ index: Int) {
        guard !self[index].isDone else { return }
        let line = self[index]
        bytes -= line.byteCount
        self[index].isDone = true
        if line.entry.from == played {
            _ = playedLines.popFirst()
        } else {
            retire(line)
        }
    }

    /// Marks a line as no longer expected, to be left out of the updated transcript.
    mutating func drop(_ index: Int) {
        markDone(index)
        self[index].isDropped = true
    }

    /// Marks a line as overtaken: it isn't the next of its stream any more, but may still come.
    mutating func pass(_ index: Int) {
        self[index].isPassed = true
        removeFirst(of: self[index].stream)
    }

    /// Removes the first line, which must be done.
    mutating func removeFirst() -> TranscriptLine? {
        guard let line = lines.popFirst() else { return nil }
        start += 1
        history.append(PlayerFailure.Line(number: line.entry.line, text: Self.shown(line.source)))
        if history.count > PlayerFailure.linesAround + 1 { history.removeFirst() }
        return line
    }

    /// Returns the lines around one, for a failure's report.
    mutating func lines(around index: Int) -> [PlayerFailure.Line] {
        // The lines after it are only shown, so an invalid one doesn't matter here.
        while !isExhausted, end <= index + PlayerFailure.linesAround { do { try readLine() } catch { break } }
        let range = max(start, index - PlayerFailure.linesAround)..<min(end, index + PlayerFailure.linesAround + 1)
        let before = history.suffix(max(0, PlayerFailure.linesAround - (index - start)))
        return before
            + range.map { PlayerFailure.Line(number: self[$0].entry.line, text: Self.shown(self[$0].source)) }
    }

    /// Returns the line number in the file of the line before `index`.
    func number(before index: Int) -> Int {
        index > start ? self[index - 1].entry.line : history.last?.number ?? 1
    }

    private static func shown(_ source: some Collection<UInt8>) -> String {
        let text = String(decoding: source.prefix(TranscriptLine.shownBytes), as: UTF8.self)
        return source.count > TranscriptLine.shownBytes ? text + "…" : text
    }

    private mutating func readLine() throws(TranscriptError) {
        guard let entry = try reader.next() else {
            isExhausted = true
            return
        }
        let index = end
        let shape = ContentShape(entry.content)
        let isPlayed = entry.from == played
        var place: (stream: MessageStream, cause: Int?) = (.line(index), nil)
        if isPlayed {
            correlation.play(shape, line: index, on: entry.connection)
            playedLines.append(index)
        } else {
            place = correlation.sort(shape, line: index, on: entry.connection)
        }
        let source = reader.text.prefix(TranscriptLine.shownBytes + 1)
        let line = TranscriptLine(
            index: index, entry: entry, source: source.count == reader.text.count ? reader.text : Array(source),
            shape: shape, hasMatchers: try hasMatchers(entry, isPlayed: isPlayed), stream: place.stream,
            cause: place.cause)
        lines.append(line)
        bytes += line.byteCount
        if !isPlayed { expect(line) }
    }

    private mutating func hasMatchers(_ entry: TranscriptEntry, isPlayed: Bool) throws(TranscriptError) -> Bool {
        // The member's name `$match` may be written with escapes.
        guard case .message(let message) = entry.content,
            message.bytes.contains(where: { $0 == UInt8(ascii: "$") || $0 == UInt8(ascii: "\\") })
        else { return false }
        do throws(InvalidMatcher) {
            return try message.withValue { (value) throws(InvalidMatcher) in
                try matchers.findMatchers(in: value, needingSamples: isPlayed)
            }
        } catch {
            throw TranscriptError(path: reader.path, line: entry.line, reason: error.reason)
        }
    }

    private mutating func expect(_ line: TranscriptLine) {
        let connection = line.entry.connection
        if case .end = line.entry.content { return ends.append(line.index, to: connection) }
        if case .unframed("") = line.entry.content { return markDone(line.index) }
        streams.append(line.index, to: line.stream)
        guard played == .client else { return }
        switch line.shape {
        case .message(let message) where message.kind == .answer && message.id != nil:
            answers.append(line.index, to: CallID(id: message.id, connection: connection))
        case .batch(let messages):
            for id in Set(messages.map(\.id)) { batches.append(line.index, to: CallID(id: id, connection: connection)) }
        default: break
        }
    }

    private mutating func retire(_ line: TranscriptLine) {
        let connection = line.entry.connection
        let isDone = { [lines, start] (index: Int) in lines[index - start].isDone }
        if case .end = line.entry.content { return ends.removeFirst(of: connection, while: isDone) }
        removeFirst(of: line.stream)
        switch line.shape {
        case .message(let message):
            answers.removeFirst(of: CallID(id: message.id, connection: connection), while: isDone)
        case .batch(let messages):
            for id in Set(messages.map(\.id)) {
                batches.removeFirst(of: CallID(id: id, connection: connection), while: isDone)
            }
        case .text: break
        }
    }

    private mutating func removeFirst(of stream: MessageStream) {
        streams.removeFirst(of: stream) { [lines, start] index in
            lines[index - start].isDone || lines[index - start].isPassed
        }
    }
}

/// Indices of lines by a key, in the transcript's order.
struct LineIndex<Key: Hashable> {
    private var lines: [Key: Deque<Int>] = [:]

    func first(_ key: Key) -> Int? { lines[key]?.first }

    /// Returns a line's index; nil if the key has too few lines.
    ///
    /// - Parameter offset: the line's position among those of the key, from 0.
    func line(_ key: Key, at offset: Int) -> Int? {
        guard let queue = lines[key], offset < queue.count else { return nil }
        return queue[offset]
    }

    mutating func append(_ line: Int, to key: Key) {
        lines[key, default: Deque()].append(line)
    }

    /// Removes lines from the front as long as they are done.
    mutating func removeFirst(of key: Key, while isDone: (Int) -> Bool) {
        while let first = lines[key]?.first, isDone(first) { _ = lines[key]?.popFirst() }
        if lines[key]?.isEmpty == true { lines[key] = nil }
    }
}
