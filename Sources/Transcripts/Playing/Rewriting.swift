/// The updated transcript while it grows.
///
/// Lines are identified by their index in the transcript as it was. An inserted entry follows such a line, its anchor.
/// The order of two entries is that of their anchors; those with the same anchor keep the order in which they came.
struct Rewriting {
    /// The number of passed lines of a stream that are remembered, for messages that come late.
    private static let maximumPassed = 64

    private(set) var entries: [TranscriptEntry] = []
    private var inserted: [Int: [TranscriptEntry]] = [:]
    /// The anchor of the newest message in each stream.
    private var newest: [MessageStream: Int] = [:]
    /// Expected lines that were overtaken by a later line of their stream.
    private(set) var passed: [MessageStream: [Int]] = [:]
    /// The line that was played last, and the furthest anchor between it and the next one to be played.
    private var lastPlayed = -1
    private var furthest = -1
    /// Whether it has been quiet, so that the next run may be played; and whether the run has begun.
    private var mayPlay = true
    private var hasPlayed = false
    /// Makes up line indexes for messages that have no line.
    private var unnamedCount = 0
    /// The times of requests that were sent and have an answer neither in the transcript nor from the other side.
    private(set) var unanswered: [CallID: Int] = [:]

    /// Whether the play may go past this line, the first: a run is played to its end, and the expected lines before it
    /// are left behind.
    mutating func mayPass(_ line: TranscriptLine?, isPlayed: Bool) -> Bool {
        guard mayPlay else { return false }
        if isPlayed {
            hasPlayed = true
            return true
        }
        mayPlay = !hasPlayed && line?.isDone != false
        return mayPlay
    }

    /// Ends the run before the next played line.
    mutating func endRun() {
        mayPlay = false
    }

    mutating func send(_ request: CallID, at time: Int) {
        unanswered[request] = time
    }

    mutating func answer(_ request: CallID) {
        unanswered[request] = nil
    }

    /// Nothing has come for a while.
    mutating func passQuiet() {
        unanswered = [:]
        mayPlay = true
        hasPlayed = false
        passed = [:]
    }

    /// The play has gone past the line, which takes its place in the updated transcript.
    mutating func keep(_ line: TranscriptLine, isPlayed: Bool) {
        if isPlayed {
            lastPlayed = line.index
            furthest = line.index
        }
        if !line.isDropped { entries.append(line.entry) }
        entries += inserted.removeValue(forKey: line.index) ?? []
    }

    /// A unique index for a message that has no line.
    mutating func nextUnnamedLine() -> Int {
        unnamedCount += 1
        return -unnamedCount
    }

    /// The line that the next message of the stream must follow.
    func order(of stream: MessageStream) -> Int { newest[stream] ?? -1 }

    mutating func pass(_ line: Int, in stream: MessageStream) {
        guard passed[stream, default: []].count < Self.maximumPassed else { return }
        passed[stream, default: []].append(line)
    }

    mutating func takePassed(_ line: Int, in stream: MessageStream) {
        passed[stream]?.removeAll { $0 == line }
    }

    /// A message came in the place of this line.
    ///
    /// - Parameter end: the next line to be played.
    mutating func place(_ line: Int, in stream: MessageStream, before end: Int) {
        newest[stream] = line
        if line < end { furthest = max(furthest, line) }
    }

    /// A message came that has no line. It gets at least the time of the entry before it.
    ///
    /// - Parameters:
    ///   - next: the stream's next expected line, before which the message belongs.
    ///   - start: the first line that the play hasn't gone past.
    ///   - time: the time of an anchor.
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
