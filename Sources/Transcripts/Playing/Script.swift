import JSON
import Queues

/// The part of a transcript that is being played: from the first line that isn't done to some way beyond the next one to be
/// played, so that what comes early is known, and a transcript of any length takes little memory.
struct Script {
    /// How far it is read beyond the next line to be played, and how far at most where that one is far itself.
    private static let maximumAhead = 1024
    private static let maximumCount = 8192
    /// How far it is searched at most for a line that came before its turn, and how many lines are read for that at once.
    private static let maximumSearched = 65_536
    private static let searchedAtOnce = 1024
    private static let maximumBytes = 16 << 20

    let reader: TranscriptReader
    private let played: TranscriptSide
    /// Reads up to the next line to be played, however far that is.
    private let isUnbounded: Bool

    private var lines = Deque<ScriptLine>()
    /// The index of the first line.
    private(set) var start = 0
    private var playedLines = Deque<Int>()
    private var bytes = 0
    private var isExhausted = false
    private var correlation: Correlation
    private(set) var matchers = MatcherTable()
    /// The last lines before `start`, one of which may be the one in question.
    private var history: [PlayerFailure.Line]

    // The lines that wait to come.
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

    /// Behind the last line that is read.
    var end: Int { start + lines.count }

    var first: ScriptLine? { lines.first }

    /// The next line to be played; `end` where none is known.
    var nextPlayed: Int { playedLines.first ?? end }

    subscript(index: Int) -> ScriptLine {
        get { lines[index - start] }
        set { lines[index - start] = newValue }
    }

    /// Reads as far as it goes.
    mutating func fill() throws(TranscriptError) {
        while !isExhausted, lines.isEmpty || mayReadOn { try readLine() }
    }

    /// Reads on beyond what is kept as a rule, for who looks for a line that isn't there. False when that is of no use.
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

    /// The line is sent, or has come, or is expected no more.
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

    /// The line is expected no more, and not kept.
    mutating func drop(_ index: Int) {
        markDone(index)
        self[index].isDropped = true
    }

    /// The line isn't the next of its stream any more, although it may come.
    mutating func pass(_ index: Int) {
        self[index].isPassed = true
        removeFirst(of: self[index].stream)
    }

    /// Takes out the first line, which is done.
    mutating func removeFirst() -> ScriptLine? {
        guard let line = lines.popFirst() else { return nil }
        start += 1
        history.append(PlayerFailure.Line(number: line.entry.line, text: Self.shown(line.source)))
        if history.count > PlayerFailure.linesAround + 1 { history.removeFirst() }
        return line
    }

    /// The lines before and behind one that is still here, or before and behind what is.
    mutating func lines(around index: Int) -> [PlayerFailure.Line] {
        // For the lines behind it; one that is broken doesn't matter now.
        while !isExhausted, end <= index + PlayerFailure.linesAround { do { try readLine() } catch { break } }
        let range = max(start, index - PlayerFailure.linesAround)..<min(end, index + PlayerFailure.linesAround + 1)
        let before = history.suffix(max(0, PlayerFailure.linesAround - (index - start)))
        return before
            + range.map { PlayerFailure.Line(number: self[$0].entry.line, text: Self.shown(self[$0].source)) }
    }

    /// The number of the line before `index`.
    func number(before index: Int) -> Int {
        index > start ? self[index - 1].entry.line : history.last?.number ?? 1
    }

    private static func shown(_ source: some Collection<UInt8>) -> String {
        let text = String(decoding: source.prefix(ScriptLine.shownBytes), as: UTF8.self)
        return source.count > ScriptLine.shownBytes ? text + "…" : text
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
        let source = reader.text
        let line = ScriptLine(
            index: index, entry: entry,
            source: source.count <= ScriptLine.shownBytes ? source : Array(source.prefix(ScriptLine.shownBytes + 1)),
            shape: shape, hasMatchers: try hasMatchers(entry, isPlayed: isPlayed), stream: place.stream,
            cause: place.cause)
        lines.append(line)
        bytes += line.byteCount
        if !isPlayed { expect(line) }
    }

    private mutating func hasMatchers(_ entry: TranscriptEntry, isPlayed: Bool) throws(TranscriptError) -> Bool {
        // The name may be written with escapes.
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

    private mutating func expect(_ line: ScriptLine) {
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

    private mutating func retire(_ line: ScriptLine) {
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
