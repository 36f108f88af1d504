/// The updated transcript while it grows.
///
/// Lines are identified by their index in the original transcript. An inserted entry follows one of these lines, its anchor.
/// Entries are in the order of their anchors; those with the same anchor are in the order in which they came.
struct Rewriting {
    /// The number of overtaken lines that are kept for each stream, for messages that come late.
    private static let maximumPassed = 64

    private(set) var entries: [TranscriptEntry] = []
    private var inserted: [Int: [TranscriptEntry]] = [:]
    /// The anchor of the newest message in each stream.
    private var newest: [MessageStream: Int] = [:]
    /// By stream, expected lines that a later line of the stream has overtaken.
    private(set) var passed: [MessageStream: [Int]] = [:]
    /// The index of the line that was played last, and the furthest anchor between that line and the next one to be played.
    private var lastPlayed = -1
    private var furthest = -1
    /// Whether the other side was quiet, so that the next run may be played; and whether that run has begun.
    private var mayPlay = true
    private var hasPlayed = false
    /// The number of indexes that were made up for messages without a line.
    private var unnamedCount = 0
    /// The times of sent requests that have no answer, neither in the transcript nor from the other side.
    private(set) var unanswered: [CallID: Int] = [:]

    /// Whether the play may go past the first line: past expected lines that are done, then past the played lines of a run.
    /// Once this is false, it stays so until `passQuiet`.
    mutating func mayPass(_ line: TranscriptLine?, isPlayed: Bool) -> Bool {
        guard mayPlay else { return false }
        if isPlayed {
            hasPlayed = true
            return true
        }
        mayPlay = !hasPlayed && line?.isDone != false
        return mayPlay
    }

    /// Ends the run: nothing is played until `passQuiet`.
    mutating func endRun() {
        mayPlay = false
    }

    mutating func send(_ request: CallID, at time: Int) {
        unanswered[request] = time
    }

    mutating func answer(_ request: CallID) {
        unanswered[request] = nil
    }

    /// Lets the next run begin, since nothing has come for a while.
    mutating func passQuiet() {
        unanswered = [:]
        mayPlay = true
        hasPlayed = false
        passed = [:]
    }

    /// Adds a line that the play has gone past, unless it was dropped, and the entries that were inserted behind it.
    mutating func keep(_ line: TranscriptLine, isPlayed: Bool) {
        if isPlayed {
            lastPlayed = line.index
            furthest = line.index
        }
        if !line.isDropped { entries.append(line.entry) }
        entries += inserted.removeValue(forKey: line.index) ?? []
    }

    /// Makes up a unique index for a message that has no line.
    mutating func nextUnnamedLine() -> Int {
        unnamedCount += 1
        return -unnamedCount
    }

    /// Returns the index of the line that the stream's next message must follow.
    func order(of stream: MessageStream) -> Int { newest[stream] ?? -1 }

    mutating func pass(_ line: Int, in stream: MessageStream) {
        guard passed[stream, default: []].count < Self.maximumPassed else { return }
        passed[stream, default: []].append(line)
    }

    mutating func takePassed(_ line: Int, in stream: MessageStream) {
        passed[stream]?.removeAll { $0 == line }
    }

    /// Notes that a message came in the place of this line.
    ///
    /// - Parameter end: the next line to be played.
    mutating func place(_ line: Int, in stream: MessageStream, before end: Int) {
        newest[stream] = line
        if line < end { furthest = max(furthest, line) }
    }

    /// Inserts the entry of a message that has no line. The entry's time becomes at least that of the entry before it.
    ///
    /// - Parameters:
    ///   - next: the stream's next expected line, before which the message belongs.
    ///   - start: the first line that the play hasn't gone past.
    ///   - time: returns the time of an anchor.
    mutating func insert(
        _ entry: TranscriptEntry, in stream: MessageStream, before next: Int?, anchoredFrom start: Int,
        _ time: (Int) -> Int
    ) {
        let order = order(of: stream)
        let anchor = order > lastPlayed ? order : min(furthest, next.map { $0 - 1 } ?? .max)
        newest[stream] = anchor
        var entry = entry
        if anchor < start {
            entry.at = max(entry.at, entries.last?.at ?? 0)
            entries.append(entry)
        } else {
            entry.at = max(entry.at, time(anchor))
            inserted[anchor, default: []].append(entry)
        }
    }
}
