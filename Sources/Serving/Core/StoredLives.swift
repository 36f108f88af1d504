import Sessions

/// What is left of the lives of stored sessions that have ended in memory. Guarded by `ServerSessions`.
///
/// A scene is in memory once, whichever of its keys it is asked by. So it isn't made again while something of the life before
/// can still be stored, nor of what was read before that life's last commit.
struct StoredLives {
    /// A read of a scene that is under way.
    struct Load {
        /// Ends with a number beyond this one came after it began.
        fileprivate let lastEnd: Int
    }

    /// Sessions that have ended while a later life could have them, as their end isn't stored.
    private var endings: [String: Session] = [:]
    private var loads = 0
    private var lastEnd = 0
    /// The number of each root's last end, while something is being read.
    private var ends: [String: Int] = [:]

    func ending(_ key: String) -> Session? { endings[key] }

    /// `remove(_:)` follows.
    mutating func add(_ session: Session) {
        endings[session.key] = session
    }

    /// Nothing of the session's life can be stored any more.
    mutating func remove(_ session: Session) {
        if endings[session.key] === session { endings[session.key] = nil }
        guard !session.isChild, loads > 0 else { return }
        lastEnd += 1
        ends[session.key] = lastEnd
    }

    /// `endLoad()` follows.
    mutating func beginLoad() -> Load {
        loads += 1
        return Load(lastEnd: lastEnd)
    }

    mutating func endLoad() {
        loads -= 1
        if loads == 0 { ends = [:] }
    }

    /// Whether a life of the root's scene has ended since.
    func isOutdated(_ load: Load, _ root: String) -> Bool { (ends[root] ?? 0) > load.lastEnd }
}
