import Sessions
import TestSupport

/// Random changes, and what they must leave in a store, by the words of `StoredChange`.
struct ModelStore {
    private(set) var scenes: [String: StoredScene] = [:]
    private var random: SeededGenerator
    private var count = 0

    init(seed: Int) {
        random = SeededGenerator(seed: seed)
    }

    /// Changes that servers may make together.
    mutating func nextCommit() -> [StoredChange] {
        (0..<Int.random(in: 1...6, using: &random)).flatMap { _ in
            let changes = nextChanges()
            for change in changes { apply(change) }
            return changes
        }
    }

    private mutating func nextChanges() -> [StoredChange] {
        count += 1
        guard let scene = scenes.values.sorted(by: { $0.header.key < $1.header.key }).randomElement(using: &random),
            let session = scene.sessions.randomElement(using: &random), !random.chance(10)
        else {
            let scene = "scene \(count)"
            return [
                .scene(scene, owner: "\(count % 3)", once: "\(count)", used: Int64(count)),
                .session(scene, arguments: Array("\(count)".utf8)),
            ]
        }
        return [nextChange(of: session, in: scene)]
    }

    private mutating func nextChange(of session: StoredSession, in scene: StoredScene) -> StoredChange {
        switch Int.random(in: 0..<20, using: &random) {
        case 0:
            return .session(
                "child \(count)", in: scene.header.key, shownBy: random.chance(50) ? .push : .present,
                isDurable: random.chance(50))
        case 1: return .removeSession(key: session.header.key)
        case 2: return .useScene(key: scene.header.key, time: Int64(count))
        case 3: return .share(scene: scene.header.key, values: [SavedValue("\(count % 4)", "\(count)")])
        case 4: return .setReadKey(session: session.header.key, key: "reader \(count)")
        default: return nextTurn(of: session)
        }
    }

    private mutating func nextTurn(of session: StoredSession) -> StoredChange {
        let before = session.turn
        let newest = before.newest + Int.random(in: 0...3, using: &random)
        let lost = random.chance(20) ? Int.random(in: before.lost...newest, using: &random) : before.lost
        let entries: [StoredEntry] = (before.newest..<newest).map { number in
            random.chance(20)
                ? .navigation(number + 1, .push, "\(number)", "child")
                : .event(number + 1, "\(count)", key: random.chance(50) ? "\(number % 3)" : nil)
        }
        return .turn(
            session.header.key, newest: newest, lost: lost, hasAllEvents: lost == 0, version: count, entries: entries,
            clients: random.chance(50) ? [ClientNumber(client: "\(count % 3)", number: count)] : [],
            saved: random.chance(50) ? [SavedValue("\(count % 5)", "\(count)")] : [])
    }

    private mutating func apply(_ change: StoredChange) {
        switch change {
        case .addScene(let header): scenes[header.key] = StoredScene(header: header, sessions: [], shared: [])
        case .addSession(let header): scenes[header.scene]?.sessions.append(StoredSession(header))
        case .turn(let turn): alter(turn.session) { $0.turn.add(turn) }
        case .setReadKey(let session, let key): alter(session) { $0.readKey = key }
        case .removeSession(let key):
            scenes[key] = nil
            for root in scenes.keys { scenes[root]?.sessions.removeAll { $0.header.key == key } }
        case .useScene(let key, let time, _):
            guard let header = scenes[key]?.header else { return }
            scenes[key]?.header = .init(key: key, owner: header.owner, once: header.once, used: time)
        case .share(let scene, let values):
            scenes[scene]?.shared.replace(values)
        }
    }

    private mutating func alter(_ key: String, _ body: (inout StoredSession) -> Void) {
        for root in scenes.keys {
            guard let index = scenes[root]?.sessions.firstIndex(where: { $0.header.key == key }) else { continue }
            if var session = scenes[root]?.sessions[index] {
                body(&session)
                scenes[root]?.sessions[index] = session
            }
        }
    }
}

extension StoredSession {
    /// One that is only known to be on screen.
    fileprivate init(_ header: Header) {
        let turn = StoredTurn(
            session: header.key, newest: 0, lost: 0, hasAllEvents: true, isStarted: false, savedVersion: 0)
        self.init(header: header, turn: turn)
    }
}

extension StoredTurn {
    fileprivate mutating func add(_ turn: StoredTurn) {
        (newest, lost, hasAllEvents) = (turn.newest, turn.lost, turn.hasAllEvents)
        (isStarted, savedVersion) = (turn.isStarted, turn.savedVersion)
        notes = turn.notes ?? notes
        for entry in turn.entries {
            if let key = entry.key { entries.removeAll { $0.key == key } }
            entries.append(entry)
        }
        entries.removeAll { $0.number <= turn.lost }
        for client in turn.clients {
            clients.removeAll { $0.client == client.client }
            if client.number > 0 { clients.append(client) } else { hasForgottenClients = true }
        }
        clients.sort { $0.client < $1.client }
        saved.replace(turn.saved)
    }
}

extension [SavedValue] {
    fileprivate mutating func replace(_ values: [SavedValue]) {
        for value in values {
            removeAll { $0.name == value.name }
            append(value)
        }
        sort { $0.name < $1.name }
    }
}
