import Sessions

/// The sessions of a server by their keys, with their owners. Guarded by `ServerCore`.
struct HostedSessions {
    private struct Hosted {
        let session: Session
        let owner: String
        /// Rises with each session.
        let number: Int
    }

    private var hosted: [String: Hosted] = [:]
    /// By owner.
    private var counts: [String: Int] = [:]
    private var lastNumber = 0

    var count: Int { hosted.count }
    var all: [Session] { hosted.values.map(\.session) }
    /// As they were made.
    var inOrder: [Session] { hosted.values.sorted { $0.number < $1.number }.map(\.session) }

    subscript(key: String) -> Session? { hosted[key]?.session }

    func count(of owner: String) -> Int { counts[owner] ?? 0 }

    mutating func add(_ session: Session, of owner: String) {
        lastNumber += 1
        hosted[session.key] = Hosted(session: session, owner: owner, number: lastNumber)
        counts[owner, default: 0] += 1
    }

    /// Returns its owner; nil where it isn't there.
    mutating func remove(_ session: Session) -> String? {
        guard let owner = hosted.removeValue(forKey: session.key)?.owner else { return nil }
        let count = count(of: owner) - 1
        counts[owner] = count == 0 ? nil : count
        return owner
    }

    /// The sessions that clients opened, to be asked with no lock held whether they have views.
    ///
    /// - Parameter owner: nil for all.
    func opened(by owner: String?) -> [(session: Session, number: Int)] {
        hosted.values.compactMap { hosted in
            guard !hosted.session.isChild, owner == nil || hosted.owner == owner else { return nil }
            return (hosted.session, hosted.number)
        }
    }
}

/// Sessions without views, which give way when there are too many sessions or too much memory is taken.
struct AbandonedSessions {
    /// The share that gives way at a time, so that the search for them is worth it.
    private static let share = 32

    /// The one that was left first first.
    let sessions: [Session]

    init(among opened: [(session: Session, number: Int)]) {
        sessions = opened.compactMap { entry in
            entry.session.abandonedSince.map { (entry.session, (since: $0, number: entry.number)) }
        }
        .sorted { ($0.1.since, $0.1.number) < ($1.1.since, $1.1.number) }
        .map(\.0)
    }

    /// Ends those that were left first. Returns how many.
    func giveWay() -> Int {
        let count = min(sessions.count, max(1, sessions.count / Self.share))
        for session in sessions.prefix(count) { session.end(.closed) }
        return count
    }
}
