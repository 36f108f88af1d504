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
        /// The time in milliseconds since the first event.
        let at: Int
    }

    enum Outcome: Equatable {
        case waits
        /// The caller must make the writer call `take`.
        case isFirst
        /// Too many bytes wait, and no event is accepted any more.
        case isTooMuch(bytes: Int)
    }

    private let limit: Int
    private var entries: [Entry] = []
    /// The size of all events that aren't written yet, including those that were taken, in bytes.
    private(set) var bytes = 0
    private var isTaken = false
    private var lastConnection = 0
    /// The time of the first event, in milliseconds of the caller's clock.
    private var start: Int?
    private var isOver = false
    /// The reason why the recording stopped before its end; nil if it did not.
    private(set) var failure: TranscriptError?

    init(limit: Int) {
        self.limit = limit
    }

    mutating func connect() -> Int {
        lastConnection += 1
        return lastConnection
    }

    /// Adds an event. Once the recording is over, the event is ignored.
    ///
    /// - Parameter time: the time in milliseconds, by any clock.
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

    /// Returns all events that wait and removes them. Returns nil if there are none; the next event's outcome is then
    /// `isFirst`.
    mutating func take() -> [Entry]? {
        isTaken = !entries.isEmpty
        guard isTaken else { return nil }
        defer { entries = [] }
        return entries
    }

    /// Subtracts the size of taken events that were written.
    mutating func didWrite(_ bytes: Int) {
        self.bytes -= bytes
    }

    /// Ends the recording because of a failure: no more events are accepted.
    ///
    /// - Returns: whether this is the first failure. Only the first is kept.
    mutating func stop(_ failure: TranscriptError) -> Bool {
        isOver = true
        guard self.failure == nil else { return false }
        self.failure = failure
        return true
    }

    /// Ends the recording: no more events are accepted.
    ///
    /// - Returns: the time of the transcript's end, in milliseconds since the first event.
    mutating func finish(at time: Int) -> Int {
        isOver = true
        return time - (start ?? time)
    }
}

extension RecordingEvents.Event {
    /// The approximate size in memory, in bytes.
    var size: Int {
        let overhead = 64
        guard case .bytes(let bytes, _) = self else { return overhead }
        return bytes.count + overhead
    }
}
