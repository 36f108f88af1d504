/// How far a stream has come, without its I/O: which direction is open, and whether it may be read now.
struct StreamState {
    enum Phase {
        case open
        /// `finish` was called: the unsent bytes are sent.
        case finishing
        /// The handler's `didClose` was called, or will be at the end of this turn.
        case closed
    }

    enum Output {
        case open
        /// `finishWriting` was called: the unsent bytes are sent.
        case finishing
        case ended
    }

    private(set) var phase = Phase.open
    private(set) var output = Output.open
    private(set) var isStarted = false
    /// The peer sends no more.
    private(set) var hasReachedEnd = false
    var isReadingPaused = false

    var isClosed: Bool { phase == .closed }

    var wantsToRead: Bool { isStarted && !isReadingPaused && !hasReachedEnd && phase == .open }

    /// Whether `write` still appends.
    var takesBytes: Bool { phase == .open && output == .open }

    /// Both directions have ended.
    var isOver: Bool { hasReachedEnd && output == .ended }

    mutating func start() {
        isStarted = true
    }

    mutating func reachEnd() {
        hasReachedEnd = true
    }

    /// False when it is too late.
    mutating func finish() -> Bool {
        guard phase == .open else { return false }
        phase = .finishing
        return true
    }

    /// False when it is too late.
    mutating func finishWriting() -> Bool {
        guard takesBytes else { return false }
        output = .finishing
        return true
    }

    mutating func endOutput() {
        output = .ended
    }

    /// False when it was closed before.
    mutating func close() -> Bool {
        guard phase != .closed else { return false }
        phase = .closed
        return true
    }
}
