import Sessions

/// The sessions of stored scenes that have left memory while the store may not have all of them yet. Guarded by
/// `ServerSessions`.
///
/// A scene is in memory once, whichever of its keys a client asks for. It is made again only when nothing more of the time
/// before can be stored, and only from what was read after the last commit of that time.
struct StoredLives {
    /// A read of a scene from the store that is under way.
    struct Load {
        /// The number of the newest end when the read began. An end with a higher number came later.
        fileprivate let lastEnd: Int
    }

    /// Sessions that have ended in memory whose end isn't stored yet, by key.
    private var endings: [String: Session] = [:]
    private var loads = 0
    private var lastEnd = 0
    /// The number of the last end of each root session, while something is being read.
    private var ends: [String: Int] = [:]

    func ending(_ key: String) -> Session? { endings[key] }

    /// Adds a session that has ended in memory; `remove(_:)` must follow.
    mutating func add(_ session: Session) {
        endings[session.key] = session
    }

    /// Removes a session of which nothing more can be stored.
    mutating func remove(_ session: Session) {
        if endings[session.key] === session { endings[session.key] = nil }
        guard !session.isChild, loads > 0 else { return }
        lastEnd += 1
        ends[session.key] = lastEnd
    }

    /// Notes that a read of a scene begins; `endLoad()` must follow.
    mutating func beginLoad() -> Load {
        loads += 1
        return Load(lastEnd: lastEnd)
    }

    mutating func endLoad() {
        loads -= 1
        if loads == 0 { ends = [:] }
    }

    /// Returns whether the root's session has left memory since the read began.
    func isOutdated(_ load: Load, _ root: String) -> Bool { (ends[root] ?? 0) > load.lastEnd }
}
