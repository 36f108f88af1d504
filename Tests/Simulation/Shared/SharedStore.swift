import Sessions
import Stores
import Transport

/// The store of a simulation: the shipped ones, Redis' over a made-up Redis, and SQLite's with a file.
///
/// It reads what is stored with the code that servers read it with.
///
/// Confined to the loop.
final class SharedStore {
    private enum Engine {
        case redis(MadeUpRedis)
        case sqlite(SimulationFolder)
    }

    private struct Read {
        let version: Int
        let scene: StoredScene?
    }

    private let engine: Engine
    private let defect: SharedDefect?
    private unowned var owner: SharedWorld?
    /// Rises with each change of a scene, by the keys of their roots; all of them change when commits are lost.
    private var versions: [String: Int] = [:]
    private var commonVersion = 0
    private var reads: [String: Read] = [:]
    private lazy var reader: (any SessionStore)? = try? openToRead()
    /// The keys of roots, by those of their sessions.
    private var roots: [String: String] = [:]
    private var holders: [String: String] = [:]
    private var earlier: [RedisData] = []
    /// Scenes that went from one server to another, and commits of servers that had lost their scene.
    private(set) var moves = 0
    private(set) var lostCommits = 0

    init(isFile: Bool, _ defect: SharedDefect?) {
        self.defect = defect
        engine = isFile ? .sqlite(SimulationFolder()) : .redis(MadeUpRedis { defect?.edit($0) ?? $0 })
    }

    /// Called once, before anything else.
    func begin(_ world: SharedWorld) {
        owner = world
        guard case .redis(let redis) = engine else { return }
        redis.onFault = { [unowned world] in world.truth.violate("the made-up Redis: \($0)") }
    }

    private var world: SharedWorld {
        guard let owner else { preconditionFailure("begin(_:) comes first") }
        return owner
    }

    /// It is written by the server itself, so a server that is killed stores nothing more.
    var isInProcess: Bool { if case .sqlite = engine { true } else { false } }

    /// For a server that starts.
    func open(_ id: String, at address: String) throws(StoreError) -> any SessionStore {
        let store: any SessionStore
        let (truth, start, owner) = (world.truth, ContinuousClock.now, LoopBound(world, loop: world.loop))
        let makeName: @Sendable () -> String = { owner.value.makeName() }
        switch engine {
        case .sqlite(let folder):
            store = try SQLiteStore(
                path: folder.file, durability: .process, now: { truth.time }, makeName: makeName)
        case .redis:
            store = try RedisStore(
                Self.address, advertised: address, leaseTime: world.leaseTime,
                connector: { [unowned self] _, _ throws(SystemError) in try connect() },
                now: { start + truth.time }, makeName: makeName)
        }
        return WatchedStore(store, id, LoopBound(self, loop: world.loop), tellsFirst: defect == .toldBeforeStored)
    }

    private static var address: RedisAddress {
        get throws(StoreError) {
            do throws(RedisAddress.Mistake) {
                return try RedisAddress("redis://made-up:6379")
            } catch {
                throw .unusable(error.reason)
            }
        }
    }

    private func connect() throws(SystemError) -> any RedisConnection {
        guard case .redis(let redis) = engine, !world.isStoreAway else { throw MadeUpConnection.timeout }
        return MadeUpConnection(redis, now: { [world] in world.now }) { [world] in world.fate(of: $0) }
    }

    private func openToRead() throws(StoreError) -> any SessionStore {
        switch engine {
        case .sqlite(let folder): return try SQLiteStore(reading: folder.file)
        case .redis(let redis):
            return try RedisStore(reading: Self.address) { [world] _, _ throws(SystemError) in
                MadeUpConnection(redis, now: { world.now })
            }
        }
    }
}

// What goes wrong in it.
extension SharedStore {
    /// A Redis that loses commits may later be set back to now.
    func remember() {
        if case .redis(let redis) = engine { earlier.append(redis.data) }
    }

    /// Sets it back to an earlier time, as when a replica that was behind becomes the master.
    func loseCommits() -> Bool {
        guard case .redis(let redis) = engine, let data = earlier.last else { return false }
        redis.restart(with: data)
        commonVersion += 1
        return true
    }
}

// What servers do with it.
extension SharedStore {
    fileprivate func willCommit(_ commits: [SceneCommit]) {
        for commit in commits { versions[commit.scene, default: 0] += 1 }
    }

    fileprivate func didCommit(_ commits: [SceneCommit], _ outcomes: [StoreOutcome], _ server: String) {
        for (commit, outcome) in zip(commits, outcomes) {
            world.note("\(server) stores \(commit.changes.map(\.summary).joined(separator: ", "))")
            switch outcome {
            case .stored: holders[commit.scene] = server
            case .lost(let reason):
                lostCommits += 1
                world.note("\(server) has lost \(commit.scene): \(reason)")
            case .refused(let reason): world.didRefuse("\(server), \(commit.scene): \(withoutPath(reason))")
            }
        }
    }

    /// Two runs of a seed have their files in different folders.
    private func withoutPath(_ reason: String) -> String {
        guard case .sqlite(let folder) = engine, reason.hasPrefix(folder.file) else { return reason }
        return "the file\(reason.dropFirst(folder.file.count))"
    }

    fileprivate func didTake(_ scene: StoredScene, _ server: String) {
        let root = scene.header.key
        if let holder = holders[root], holder != server { moves += 1 }
        holders[root] = server
        world.note("\(server) reads \(root)")
    }
}

// What is in it.
extension SharedStore {
    /// The scene of a session, by its key or that of a session on it.
    func scene(_ key: String) -> StoredScene? {
        let known = roots[key]
        if let known, let read = reads[known], read.version == version(of: known) { return read.scene }
        guard let scene = read(known ?? key) else {
            // Of one that was never found it isn't known which commits add it.
            if let known { reads[known] = Read(version: version(of: known), scene: nil) }
            return nil
        }
        let root = scene.header.key
        reads[root] = Read(version: version(of: root), scene: scene)
        for session in scene.sessions {
            roots[session.header.key] = root
            world.learn(session)
        }
        return scene
    }

    private func version(of root: String) -> Int { commonVersion + versions[root, default: 0] }

    private func read(_ key: String) -> StoredScene? {
        // A reader of a file sees it as it was when it was opened.
        if isInProcess { reader = try? openToRead() }
        do throws(StoreError) {
            return try reader?.scene(withSessionKey: key)
        } catch {
            world.truth.violate("\(key) can't be read: \(error.reason)")
            return nil
        }
    }

    func session(_ key: String) -> StoredSession? { scene(key)?.sessions.first { $0.header.key == key } }

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
}

extension StoredChange {
    /// For the trail.
    fileprivate var summary: String {
        switch self {
        case .addScene(let scene): "the scene \(scene.key)"
        case .addSession(let session): "the session \(session.key)"
        case .turn(let turn):
            "a turn of \(turn.session) up to \(turn.newest) \(turn.clients.map { "\($0.client):\($0.number)" })"
        case .setReadKey(let session, _): "a key for readers of \(session)"
        case .removeSession(let key): "the end of \(key)"
        case .useScene(let key, _, _): "the use of \(key)"
        case .share(_, let values): "the board \(values.map { String(decoding: $0.text, as: UTF8.self) })"
        }
    }
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

/// The store of one server, whose commits and readings are looked at.
///
/// Confined to the loop.
private final class WatchedStore: SessionStore {
    private let store: any SessionStore
    private let server: String
    private let owner: LoopBound<SharedStore>
    /// A defect: it says that a commit is stored, and stores it with the next call.
    private let tellsFirst: Bool
    // Unchecked: on the loop alone, which `LoopBound` checks at each use of `owner`.
    nonisolated(unsafe) private var untold: [[SceneCommit]] = []

    init(_ store: any SessionStore, _ server: String, _ owner: LoopBound<SharedStore>, tellsFirst: Bool) {
        (self.store, self.server, self.owner, self.tellsFirst) = (store, server, owner, tellsFirst)
    }

    var leaseTime: Duration { store.leaseTime }
    var holder: SceneHolder? { store.holder }

    func commit(_ commits: [SceneCommit]) throws(StoreError) -> [StoreOutcome] {
        let owner = owner.value
        if tellsFirst {
            defer { untold = [commits] }
            owner.willCommit(untold.flatMap(\.self))
            for commits in untold { owner.didCommit(commits, try store.commit(commits), server) }
            return commits.map { _ in .stored }
        }
        // Something may be stored also where that can't be said.
        owner.willCommit(commits)
        let outcomes = try store.commit(commits)
        owner.didCommit(commits, outcomes, server)
        return outcomes
    }

    func scene(withSessionKey key: String) throws(StoreError) -> StoredScene? {
        let scene = try store.scene(withSessionKey: key)
        if let scene { owner.value.didTake(scene, server) }
        return scene
    }

    func rootKey(ofOpening once: String) throws(StoreError) -> String? { try store.rootKey(ofOpening: once) }
    func scenes(for filter: SceneFilter, from place: Int) throws(StoreError) -> SceneListing {
        try store.scenes(for: filter, from: place)
    }
    func removeScenes(unusedFor time: Duration) throws(StoreError) -> StoreSweep {
        try store.removeScenes(unusedFor: time)
    }
    func checkOwner(of scene: String) throws(StoreError) { try store.checkOwner(of: scene) }
    func release(_ scene: String) throws(StoreError) { try store.release(scene) }
    func renew() throws(StoreError) { try store.renew() }
    func takeLapse() -> StoreLapse? { store.takeLapse() }
    func leave() throws(StoreError) { try store.leave() }
    func close() { store.close() }
}
