/// A transcript as it becomes while what really comes takes the place of what was expected.
///
/// Lines are named by their index in the transcript as it was. What is inserted stands behind such a line, its anchor; so the
/// order of two placed messages is that of their anchors, and of their coming where these are the same.
struct Rewriting {
    /// How many lines of a stream that were passed over are kept in mind, for messages that come late.
    private static let maximumPassed = 64

    private(set) var entries: [TranscriptEntry] = []
    private var inserted: [Int: [TranscriptEntry]] = [:]
    /// The anchor of the newest message in each stream.
    private var newest: [MessageStream: Int] = [:]
    /// Expected lines behind which something of their stream came already.
    private(set) var passed: [MessageStream: [Int]] = [:]
    /// The last line that was played, and the furthest anchor behind it and before the next.
    private var lastPlayed = -1
    private var furthest = -1
    /// It has been quiet, so the next lines may be played; and some were.
    private(set) var mayPlay = true
    private var hasPlayed = false
    /// Names messages that belong to no line.
    private var count = 0
    /// Requests that were sent and have no answer, neither in the transcript, where a hand may just have written them, nor
    /// from the other side.
    private(set) var unanswered: Set<CallID> = []

    /// Whether the play may go on to this line, which is the next: what is played is played, what was expected is left behind.
    mutating func mayPass(_ line: ScriptLine?, isPlayed: Bool) -> Bool {
        guard mayPlay else { return false }
        if isPlayed {
            hasPlayed = true
            return true
        }
        mayPlay = !hasPlayed && line?.isDone != false
        return mayPlay
    }

    /// The run ends here: what comes now belongs before the next line that is played.
    mutating func endRun() {
        mayPlay = false
    }

    mutating func send(_ request: CallID) {
        unanswered.insert(request)
    }

    mutating func answer(_ request: CallID) {
        unanswered.remove(request)
    }

    /// Nothing has come for a while.
    mutating func passQuiet() {
        unanswered = []
        mayPlay = true
        hasPlayed = false
        passed = [:]
    }

    /// The play leaves the line behind.
    mutating func keep(_ line: ScriptLine, isPlayed: Bool) {
        if isPlayed {
            lastPlayed = line.index
            furthest = line.index
        }
        if !line.isDropped { entries.append(line.entry) }
        entries += inserted.removeValue(forKey: line.index) ?? []
    }

    /// A line's number for a message that has none, which no other has.
    mutating func nextUnnamedLine() -> Int {
        count += 1
        return -count
    }

    /// Behind which line the next message of the stream must stand.
    func order(of stream: MessageStream) -> Int { newest[stream] ?? -1 }

    mutating func pass(_ line: Int, in stream: MessageStream) {
        guard passed[stream, default: []].count < Self.maximumPassed else { return }
        passed[stream, default: []].append(line)
    }

    mutating func takePassed(_ line: Int, in stream: MessageStream) {
        passed[stream]?.removeAll { $0 == line }
    }

    /// A message came whose line is this.
    ///
    /// - Parameter end: the next line to be played.
    mutating func place(_ line: Int, in stream: MessageStream, before end: Int) {
        newest[stream] = line
        if line < end { furthest = max(furthest, line) }
    }

    /// A message came that has no line; its time is at least that of what it stands behind.
    ///
    /// - Parameters:
    ///   - next: the line of the stream that is expected next, before which it stands.
    ///   - start: the first line that isn't left behind.
    ///   - time: that of the message at an anchor.
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
