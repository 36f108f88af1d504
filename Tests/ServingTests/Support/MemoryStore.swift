import Sessions
import Synchronization
import Transport

/// A store in memory that outlives the servers of a test, and fails where the test says.
final class MemoryStore: SessionStore {
    /// What happens at one call of `commit`.
    enum Fault: Equatable {
        /// The process ends before anything is stored: nothing of this server is stored or told any more.
        case endsBefore
        /// The process ends when all is stored, and before anybody knows.
        case endsAfter
        /// The store can't be reached.
        case isAway
    }

    private struct State {
        var scenes: [String: StoredScene] = [:]
        var commits = 0
        /// How many have begun.
        var epochs = 0
        var fault: (call: Int, kind: Fault)?
        var held: (end: Semaphore, text: String)?
        var isHeld = false
    }

    private let state = Mutex(State())
    /// Where it is there, reading waits for it.
    private let reading: Semaphore?

    init(reading: Semaphore? = nil) {
        self.reading = reading
    }

    /// How often `commit` was called.
    var commits: Int { state.withLock { $0.commits } }

    var scenes: [StoredScene] { state.withLock { Array($0.scenes.values) } }

    /// - Parameter call: counts from 1, from now on.
    func fail(at call: Int, _ kind: Fault) {
        state.withLock { state in
            state.commits = 0
            state.fault = (call, kind)
        }
    }

    /// It loses everything that it was given since then.
    ///
    /// - Parameter scenes: of then.
    func goBack(to scenes: [StoredScene]) {
        state.withLock { state in
            state.scenes = Dictionary(scenes.map { ($0.header.key, $0) }, uniquingKeysWith: { first, _ in first })
        }
    }

    /// The next commit waits until `end` is posted.
    ///
    /// - Parameter text: passes those by that store no value with this text.
    func hold(until end: Semaphore, storing text: String = "") {
        state.withLock { $0.held = (end, text) }
    }

    /// A commit waits.
    var isHeld: Bool { state.withLock { $0.isHeld } }

    /// It works from now on.
    func mend() {
        state.withLock { $0.fault = nil }
    }

    var leaseTime: Duration { .zero }

    func commit(_ commits: [SceneCommit]) throws(StoreError) -> [StoreOutcome] {
        let end = state.withLock { state -> Semaphore? in
            guard let held = state.held, Self.stores(held.text, commits) else { return nil }
            state.held = nil
            state.isHeld = true
            return held.end
        }
        end?.wait()
        try state.withLock { state throws(StoreError) in
            state.isHeld = false
            state.commits += 1
            let fault = state.fault.flatMap { $0.call <= state.commits ? $0.kind : nil }
            if fault == .isAway { throw .unavailable("away") }
            if fault == .endsBefore || (fault == .endsAfter && state.fault?.call != state.commits) {
                throw .takenOver("ended")
            }
            for change in commits.flatMap(\.changes) { Self.apply(change, to: &state.scenes) }
            if fault == .endsAfter { throw .takenOver("ended") }
        }
        return commits.map { _ in .stored }
    }

    func scene(withSessionKey key: String) throws(StoreError) -> StoredScene? {
        reading?.wait()
        return state.withLock { state in
            let scene = state.scenes.values.first { scene in
                scene.sessions.contains { $0.header.key == key || $0.readKey == key }
            }
            guard let root = scene?.header.key else { return nil }
            state.epochs += 1
            for index in state.scenes[root]?.sessions.indices ?? 0..<0 {
                let newest = state.scenes[root]?.sessions[index].turn.newest ?? 0
                state.scenes[root]?.sessions[index].epochs.begin("epoch-\(state.epochs)", at: newest)
            }
            return state.scenes[root]
        }
    }

    func rootKey(ofOpening once: String) throws(StoreError) -> String? {
        state.withLock { state in state.scenes.values.first { $0.header.once == once }?.header.key }
    }

    func scenes(for filter: SceneFilter, from place: Int) throws(StoreError) -> SceneListing {
        reading?.wait()
        var found = scenes.compactMap { scene -> ListedScene? in
            guard filter.takes(scene.header), let root = scene.sessions.first else { return nil }
            return ListedScene(
                header: scene.header, viewModel: root.header.viewModel, arguments: root.header.arguments,
                title: root.turn.notes?.title)
        }
        found.sort { ($0.header.used, $1.header.key) > ($1.header.used, $0.header.key) }
        return SceneListing(scenes: Array(found.prefix(filter.maximumCount)))
    }

    func removeScenes(unusedFor time: Duration) throws(StoreError) -> StoreSweep {
        StoreSweep(removed: 0, isDone: true)
    }

    func checkOwner(of scene: String) throws(StoreError) {}

    func release(_ scene: String) throws(StoreError) {}

    func renew() throws(StoreError) {}

    func takeLapse() -> StoreLapse? { nil }

    func leave() throws(StoreError) {}

    func close() {}

    private static func stores(_ text: String, _ commits: [SceneCommit]) -> Bool {
        let changes = commits.flatMap(\.changes)
        let values = changes.flatMap { change -> [SavedValue] in
            switch change {
            case .turn(let turn): turn.saved
            case .share(_, let values): values
            default: []
            }
        }
        return text.isEmpty || values.contains { String(decoding: $0.text, as: UTF8.self).contains(text) }
    }

    private static func apply(_ change: StoredChange, to scenes: inout [String: StoredScene]) {
        switch change {
        case .addScene(let header): scenes[header.key] = StoredScene(header: header, sessions: [], shared: [])
        case .addSession(let header):
            let turn = StoredTurn(
                session: header.key, newest: 0, lost: 0, hasAllEvents: true, isStarted: false, savedVersion: 0)
            scenes[header.scene]?.sessions.append(StoredSession(header: header, turn: turn))
        case .turn(let turn):
            for (key, scene) in scenes {
                guard let index = scene.sessions.firstIndex(where: { $0.header.key == turn.session }) else { continue }
                scenes[key]?.sessions[index].turn.add(turn)
            }
        case .setReadKey(let session, let readKey):
            for (key, scene) in scenes {
                guard let index = scene.sessions.firstIndex(where: { $0.header.key == session }) else { continue }
                scenes[key]?.sessions[index].readKey = readKey
            }
        case .removeSession(let key):
            scenes[key] = nil
            for (root, scene) in scenes {
                scenes[root]?.sessions = scene.sessions.filter { $0.header.key != key }
            }
        case .useScene(let key, let time, _):
            guard let header = scenes[key]?.header else { return }
            scenes[key]?.header = .init(key: key, owner: header.owner, once: header.once, used: time)
        case .share(let key, let values):
            for value in values {
                scenes[key]?.shared.removeAll { $0.name == value.name }
                scenes[key]?.shared.append(value)
            }
        }
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
        for value in turn.saved {
            saved.removeAll { $0.name == value.name }
            saved.append(value)
        }
    }
}
