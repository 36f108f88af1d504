/// What passed on the connections of a recording and waits to be written, in order; the rules for how much that may be.
struct RecordingEvents {
    enum Event {
        case bytes([UInt8], TranscriptSide)
        case end(TranscriptSide)
        /// The connection is gone.
        case close
    }

    struct Entry {
        var event: Event
        let connection: Int
        /// Milliseconds since the first one.
        let at: Int
    }

    enum Outcome: Equatable {
        case waits
        /// Nobody is taking events: somebody must be told to.
        case isFirst
        /// Nothing more is taken; so many bytes wait.
        case isTooMuch(bytes: Int)
    }

    private let limit: Int
    private var entries: [Entry] = []
    /// Of what hasn't been written, also what has been taken.
    private(set) var bytes = 0
    private var isTaken = false
    private var lastConnection = 0
    /// When the first event was.
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

    /// - Parameter time: milliseconds of whatever clock.
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

    /// All that waits; nil when nothing does, and the next event will be the first again.
    mutating func take() -> [Entry]? {
        isTaken = !entries.isEmpty
        guard isTaken else { return nil }
        defer { entries = [] }
        return entries
    }

    /// Of what was taken, so much takes no more memory.
    mutating func didWrite(_ bytes: Int) {
        self.bytes -= bytes
    }

    /// Nothing more is taken. Returns whether that is news: of failures, the first counts.
    mutating func stop(_ failure: TranscriptError) -> Bool {
        isOver = true
        guard self.failure == nil else { return false }
        self.failure = failure
        return true
    }

    /// Nothing more is taken. Returns the time of the transcript's end.
    mutating func finish(at time: Int) -> Int {
        isOver = true
        return time - (start ?? time)
    }
}

extension RecordingEvents.Event {
    /// What it takes in memory, about.
    var size: Int {
        let overhead = 64
        guard case .bytes(let bytes, _) = self else { return overhead }
        return bytes.count + overhead
    }
}
