import Queues
import Sessions

/// The sessions of a server by their keys, with their owners, and the order in which they were left. Guarded by
/// `ServerSessions`.
struct HostedSessions {
    private struct Hosted {
        let session: Session
        let owner: String
        /// The number of the session's latest departure, when its last view left; 0 where the session isn't in the order of
        /// departures.
        var departure = 0
        /// The bytes that the session held at that departure.
        var bytes = 0
    }

    private struct Departure {
        let key: String
        let number: Int
    }

    private var hosted: [String: Hosted] = [:]
    /// The number of sessions of each owner.
    private var counts: [String: Int] = [:]
    /// The departures of each owner's sessions, oldest first. Such a session may have views again, or have ended, since.
    private var departures: [String: Deque<Departure>] = [:]
    private var departureCount = 0
    private var lastDeparture = 0
    /// The bytes held by each owner's sessions that are in the order of departures.
    private var abandonedBytes: [String: Int] = [:]

    var count: Int { hosted.count }
    var all: [Session] { hosted.values.map(\.session) }
    /// All sessions in the order of their keys, since a dictionary's own order differs in each run.
    var inOrder: [Session] { hosted.sorted { $0.key < $1.key }.map(\.value.session) }

    var byOwner: [String: [Session]] {
        Dictionary(grouping: hosted.values, by: \.owner).mapValues { $0.map(\.session) }
    }

    /// The sessions that clients have opened and that a filter takes.
    func roots(for filter: SceneFilter) -> [Session] {
        hosted.values.compactMap { hosted in
            let session = hosted.session
            guard !session.isChild, let scene = session.scene else { return nil }
            return filter.takes(scene, isDurable: session.isDurable) ? session : nil
        }
    }

    subscript(key: String) -> Session? { hosted[key]?.session }

    func count(of owner: String) -> Int { counts[owner] ?? 0 }

    /// The bytes held by all sessions that were left without views. A session that has views again counts until its turn in
    /// the order of departures comes.
    var abandonedByteCount: Int { abandonedBytes.values.reduce(0, +) }
    func abandonedBytes(of owner: String) -> Int { abandonedBytes[owner] ?? 0 }

    /// Adds a session. A stored session may be made again before its predecessor in memory is removed, whose place it takes.
    mutating func add(_ session: Session, of owner: String) {
        if let before = hosted[session.key]?.session { _ = remove(before) }
        hosted[session.key] = Hosted(session: session, owner: owner)
        counts[owner, default: 0] += 1
    }

    /// Removes a session, and returns whether it was there.
    mutating func remove(_ session: Session) -> Bool {
        guard let owner = hosted[session.key]?.owner, hosted[session.key]?.session === session else { return false }
        count(bytes: 0, of: session.key)
        hosted[session.key] = nil
        let count = count(of: owner) - 1
        counts[owner] = count == 0 ? nil : count
        return true
    }

    private mutating func count(bytes: Int, of key: String) {
        guard let before = hosted[key], bytes != before.bytes else { return }
        hosted[key]?.bytes = bytes
        let sum = abandonedBytes(of: before.owner) + bytes - before.bytes
        abandonedBytes[before.owner] = sum == 0 ? nil : sum
    }

    /// Notes that a session which a client opened is left without views, as are all sessions shown on it, and that together
    /// they hold so many bytes. Returns the session's owner; nil where the session isn't hosted any more.
    mutating func noteDeparture(of session: Session, holding bytes: Int) -> String? {
        guard let owner = hosted[session.key]?.owner else { return nil }
        count(bytes: bytes, of: session.key)
        lastDeparture += 1
        hosted[session.key]?.departure = lastDeparture
        departures[owner, default: Deque()].append(Departure(key: session.key, number: lastDeparture))
        departureCount += 1
        // Only the last departure of a session counts, so each pass drops at least half of them.
        if departureCount > 2 * hosted.count + 64 { forgetReturns() }
        return owner
    }

    private mutating func forgetReturns() {
        let before = departures
        (departures, departureCount) = ([:], 0)
        for (owner, var queue) in before {
            var kept = Deque<Departure>()
            while let departure = queue.popFirst() {
                if isLast(departure) { kept.append(departure) }
            }
            departureCount += kept.count
            if !kept.isEmpty { departures[owner] = kept }
        }
    }

    private func isLast(_ departure: Departure) -> Bool { hosted[departure.key]?.departure == departure.number }

    /// Takes the session that was left first out of the order of departures, and returns it. The session may have views
    /// again.
    ///
    /// - Parameter owner: nil for the sessions of all owners.
    mutating func popDeparture(of owner: String?) -> Session? {
        while let owner = owner ?? departures.min(by: { Self.first($0.value) < Self.first($1.value) })?.key {
            guard let departure = departures[owner]?.popFirst() else { return nil }
            departureCount -= 1
            if departures[owner]?.isEmpty == true { departures[owner] = nil }
            guard isLast(departure) else { continue }
            count(bytes: 0, of: departure.key)
            hosted[departure.key]?.departure = 0
            return hosted[departure.key]?.session
        }
        return nil
    }

    private static func first(_ queue: Deque<Departure>) -> Int { queue.first?.number ?? .max }
}
