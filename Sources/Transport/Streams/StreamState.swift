/// The state of a stream without its I/O: which direction is open, and whether it may be read now.
struct StreamState {
    enum Phase {
        case open
        /// `finish` was called, and the unsent bytes are being sent.
        case finishing
        /// The handler's `didClose` was called, or will be at the end of this turn.
        case closed
    }

    enum Output {
        case open
        /// `finishWriting` was called, and the unsent bytes are being sent.
        case finishing
        case ended
    }

    private(set) var phase = Phase.open
    private(set) var output = Output.open
    private(set) var isStarted = false
    /// Whether the peer sends no more.
    private(set) var hasReachedEnd = false
    var isReadingPaused = false

    var isClosed: Bool { phase == .closed }

    var wantsToRead: Bool { isStarted && !isReadingPaused && !hasReachedEnd && phase == .open }

    /// Whether `write` still appends.
    var takesBytes: Bool { phase == .open && output == .open }

    /// Whether both directions have ended.
    var isOver: Bool { hasReachedEnd && output == .ended }

    mutating func start() {
        isStarted = true
    }

    mutating func reachEnd() {
        hasReachedEnd = true
    }

    /// Begins to finish the stream. Returns false when it is finishing or closed already.
    mutating func finish() -> Bool {
        guard phase == .open else { return false }
        phase = .finishing
        return true
    }

    /// Begins to finish the output. Returns false when nothing can be written any more.
    mutating func finishWriting() -> Bool {
        guard takesBytes else { return false }
        output = .finishing
        return true
    }

    mutating func endOutput() {
        output = .ended
    }

    /// Closes the stream. Returns false when it was closed before.
    mutating func close() -> Bool {
        guard phase != .closed else { return false }
        phase = .closed
        return true
    }
}
