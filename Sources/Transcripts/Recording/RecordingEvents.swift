/// The events of a recording that wait to be written, in order, and the rules for how many bytes may wait.
struct RecordingEvents {
    enum Event {
        case bytes([UInt8], TranscriptSide)
        case end(TranscriptSide)
        /// The connection is closed.
        case close
    }

    struct Entry {
        var event: Event
        let connection: Int
        /// Milliseconds since the first event.
        let at: Int
    }

    enum Outcome: Equatable {
        case waits
        /// The caller has to have the events taken.
        case isFirst
        /// Too many bytes wait, and no event is accepted any more.
        case isTooMuch(bytes: Int)
    }

    private let limit: Int
    private var entries: [Entry] = []
    /// The size of all events that aren't written, including those that were taken.
    private(set) var bytes = 0
    private var isTaken = false
    private var lastConnection = 0
    /// The time of the first event.
    private var start: Int?
    private var isOver = false
    /// Why the recording stopped before its end.
    private(set) var failure: TranscriptError?

    init(limit: Int) {
        self.limit = limit
    }

    mutating func connect() -> Int {
        lastConnection += 1
        return lastConnection
    }

    /// - Parameter time: milliseconds, of any clock.
    mutating func add(_ event: Event, on connection: Int, at time: Int) -> Outcome {
        guard !isOver else { return .waits }
        let start = start ?? time
        self.start = start
        bytes += event.size
        guard bytes <= limit else {
            isOver = true
            return .isTooMuch(bytes: bytes)
        }
        entries.append(Entry(event: event, connection: connection, at: time - start))
        defer { isTaken = true }
        return isTaken ? .waits : .isFirst
    }

    /// All events that wait; nil when there are none, so that the next one is the first again.
    mutating func take() -> [Entry]? {
        isTaken = !entries.isEmpty
        guard isTaken else { return nil }
        defer { entries = [] }
        return entries
    }

    /// That much of the taken events is released.
    mutating func didWrite(_ bytes: Int) {
        self.bytes -= bytes
    }

    /// Accepts no more events.
    ///
    /// - Returns: whether this is the first failure, which is the one that counts.
    mutating func stop(_ failure: TranscriptError) -> Bool {
        isOver = true
        guard self.failure == nil else { return false }
        self.failure = failure
        return true
    }

    /// Accepts no more events.
    ///
    /// - Returns: the time of the transcript's end, in milliseconds since the first event.
    mutating func finish(at time: Int) -> Int {
        isOver = true
        return time - (start ?? time)
    }
}

extension RecordingEvents.Event {
    /// The approximate size in memory.
    var size: Int {
        let overhead = 64
        guard case .bytes(let bytes, _) = self else { return overhead }
        return bytes.count + overhead
    }
}
