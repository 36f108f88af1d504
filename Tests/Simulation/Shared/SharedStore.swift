import Sessions

/// A fault that is put in on purpose, so that a test shows that it is found.
enum SharedDefect: CaseIterable {
    /// The store takes commits of whoever had a scene once.
    case noFenceCheck
    /// A server that takes a scene has the number of the one before, which is all that the store looks at.
    case fencesDontRise
    /// The journal says that a turn is stored, and stores it then.
    case toldBeforeStored
    /// A scene is given to whoever asks, although its server is there, and nothing keeps that one from storing more.
    case leaseIgnored

    /// Who has a scene makes no difference to what is stored, or a server that had it once has it still.
    fileprivate var isUnfenced: Bool { self != .toldBeforeStored }
}

/// What all servers of a simulation share: the rules of the store in Redis, as `RedisScript` says them, on values.
///
/// Confined to the loop.
final class SharedStore {
    struct Row {
        var scene: StoredScene
        var holder: String?
        var fence: Int
        /// The number of the newest commit since the holder took it.
        var commit: Int
    }

    /// A scene's commit, as a server sends it.
    struct Sending {
        let root: String
        let fence: Int
        let number: Int
        let changes: [StoredChange]

        fileprivate var removesScene: Bool { changes.contains(.removeSession(key: root)) }
    }

    enum Claim {
        case unknown
        case held(SceneHolder)
        case taken(StoredScene, fence: Int, commit: Int)
    }

    private let defect: SharedDefect?
    private(set) var rows: [String: Row] = [:]
    /// The roots of sessions, by their keys.
    private var roots: [String: String] = [:]
    private var openings: [String: String] = [:]
    private var leases: [String: (end: Duration, holder: SceneHolder)] = [:]
    /// Scenes that went from one server to another.
    private(set) var moves = 0
    /// Commits of servers that had lost their scene.
    private(set) var lostCommits = 0

    init(_ defect: SharedDefect?) {
        self.defect = defect
    }

    /// - Returns: whether the server's lease had run out.
    func renew(_ holder: SceneHolder, until end: Duration, now: Duration) -> Bool {
        defer { leases[holder.server] = (end, holder) }
        return !isThere(holder.server, now)
    }

    private func isThere(_ server: String, _ now: Duration) -> Bool { leases[server].map { $0.end > now } ?? false }

    func leave(_ server: String) {
        leases[server] = nil
    }

    func root(ofOpening once: String) -> String? { openings[once] }

    func claim(_ key: String, for server: String, now: Duration) -> Claim {
        guard let root = roots[key], var row = rows[root] else { return .unknown }
        if row.holder != server {
            if let holder = row.holder, isThere(holder, now), defect != .leaseIgnored, let lease = leases[holder] {
                return .held(lease.holder)
            }
            if row.holder != nil { moves += 1 }
            row.holder = server
            if defect != .fencesDontRise { (row.fence, row.commit) = (row.fence + 1, 0) }
            rows[root] = row
        }
        return .taken(row.scene, fence: row.fence, commit: row.commit)
    }

    func hasScene(_ root: String, _ server: String, fence: Int, commit: Int) -> Bool {
        guard let row = rows[root] else { return false }
        if defect?.isUnfenced ?? false, defect != .fencesDontRise || row.fence == fence { return true }
        return row.holder == server && row.fence == fence && row.commit >= commit
    }

    func release(_ root: String, _ server: String, fence: Int) {
        if let row = rows[root], row.holder == server, row.fence == fence { rows[root]?.holder = nil }
    }

    func commit(_ sending: Sending, of server: String) -> StoreOutcome {
        if let outcome = judge(sending, server) ?? check(sending) {
            if outcome.isLost { lostCommits += 1 }
            return outcome
        }
        for change in sending.changes { apply(change, server) }
        if let row = rows[sending.root], row.holder == server, row.fence == sending.fence {
            rows[sending.root]?.commit = sending.number
        }
        return .stored
    }

    /// Nil where the changes are to be looked at.
    private func judge(_ sending: Sending, _ server: String) -> StoreOutcome? {
        guard let row = rows[sending.root] else {
            if sending.fence == sending.number, sending.fence < 2 { return nil }
            return sending.removesScene ? .stored : .lost("it is gone")
        }
        let isHolder = row.holder == server && row.fence == sending.fence
        // Sent again, since its answer was lost.
        if isHolder, row.commit == sending.number { return .stored }
        if defect?.isUnfenced ?? false, defect != .fencesDontRise || row.fence == sending.fence { return nil }
        guard isHolder else { return .lost("another server has taken it") }
        return row.commit + 1 == sending.number ? nil : .lost("the store knows less")
    }

    private func check(_ sending: Sending) -> StoreOutcome? {
        for change in sending.changes {
            switch change {
            case .addScene(let header):
                if let once = header.once, openings[once] != nil { return .lost("another server has made it") }
            case .turn(let turn):
                guard let newest = session(turn.session)?.turn.newest, !(defect?.isUnfenced ?? false) else { continue }
                if turn.newest < newest { return .refused("the numbers of a session go back") }
                if let first = turn.entries.first, first.number <= newest {
                    return .refused("an event has a number of another")
                }
            default: break
            }
        }
        return nil
    }

    private func apply(_ change: StoredChange, _ server: String) {
        switch change {
        case .addScene(let header):
            rows[header.key] = Row(
                scene: StoredScene(header: header, sessions: [], shared: []), holder: server, fence: 1, commit: 0)
            if let once = header.once { openings[once] = header.key }
        case .addSession(let header):
            let turn = StoredTurn(
                session: header.key, newest: 0, lost: 0, hasAllEvents: true, isStarted: false, savedVersion: 0)
            rows[header.scene]?.scene.sessions.append(StoredSession(header: header, turn: turn))
            roots[header.key] = header.scene
        case .turn(let turn):
            guard let root = roots[turn.session],
                let index = rows[root]?.scene.sessions.firstIndex(where: { $0.header.key == turn.session })
            else { return }
            rows[root]?.scene.sessions[index].turn.add(turn)
        case .removeSession(let key):
            guard let root = roots.removeValue(forKey: key) else { return }
            rows[root]?.scene.sessions.removeAll { $0.header.key == key }
            if root == key { rows[root] = nil }
        case .useScene, .share: break
        }
    }
}

/// What is in it.
extension SharedStore {
    func session(_ key: String) -> StoredSession? {
        roots[key].flatMap { rows[$0] }?.scene.sessions.first { $0.header.key == key }
    }

    /// What is stored under a number, as clients are told it.
    func told(_ key: String, _ number: Int) -> [UInt8]? {
        guard let entries = session(key)?.turn.entries, entries.indices.contains(number - 1),
            entries[number - 1].number == number
        else { return nil }
        return entries[number - 1].content.told
    }

    /// The highest number of a client that is done.
    func number(_ key: String, of client: String) -> Int {
        session(key)?.turn.clients.first { $0.client == client }?.number ?? 0
    }

    var sessions: [StoredSession] { rows.values.flatMap(\.scene.sessions).sorted { $0.header.key < $1.header.key } }
}

extension SessionLog.Content {
    /// The event's text, or a text for what a client is told of navigation.
    var told: [UInt8] {
        switch self {
        case .event(let payload): payload
        case .navigation(let change): Array("navigation/\(change.kind) \(change.child.key)".utf8)
        }
    }
}

extension StoredTurn {
    /// None of the events has a key, so none gives way to another, unless two servers have one number.
    fileprivate mutating func add(_ turn: StoredTurn) {
        if let first = turn.entries.first { entries.removeAll { $0.number >= first.number } }
        (newest, lost, hasAllEvents) = (turn.newest, turn.lost, turn.hasAllEvents)
        (isStarted, savedVersion) = (turn.isStarted, turn.savedVersion)
        entries += turn.entries
        for client in turn.clients {
            clients.removeAll { $0.client == client.client }
            if client.number > 0 { clients.append(client) }
        }
        for value in turn.saved {
            saved.removeAll { $0.name == value.name }
            saved.append(value)
        }
    }
}
