import Sessions
import Synchronization

/// The store of one of several servers, over a `MemoryStore` that all of them have. A server may be seen as gone by the others
/// while it goes on.
final class SharedStore: SessionStore {
    /// Who has which scene.
    final class Holders: Sendable {
        fileprivate let names = Mutex<[String: String]>([:])
        private let lapsed = Mutex<Set<String>>([])
        private let renewed = Mutex<Set<String>>([])
        private let cutOff = Mutex<Set<String>>([])

        /// The server's lease has run out.
        func leave(_ server: String) {
            lapsed.withLock { _ = $0.insert(server) }
            names.withLock { names in names = names.filter { $0.value != server } }
        }

        /// The server doesn't reach the store any more.
        func cutOff(_ server: String) {
            cutOff.withLock { _ = $0.insert(server) }
        }

        /// It reaches it again.
        func reconnect(_ server: String) {
            cutOff.withLock { _ = $0.remove(server) }
        }

        fileprivate func check(_ server: String) throws(StoreError) {
            if cutOff.withLock({ $0.contains(server) }) { throw .unavailable("\(server) is cut off") }
        }

        fileprivate func takeLapse(of server: String) -> Bool {
            renewed.withLock { $0.contains(server) } && lapsed.withLock { $0.remove(server) != nil }
        }

        /// The server renews its lease from now on.
        func comeBack(_ server: String) {
            renewed.withLock { _ = $0.insert(server) }
        }

        func holder(of scene: String) -> String? { names.withLock { $0[scene] } }
    }

    let leaseTime: Duration
    private let store: MemoryStore
    private let holders: Holders
    private let name: String
    /// The servers know how to reach each other, by their names.
    private let isLinked: Bool

    init(
        _ store: MemoryStore, _ holders: Holders, name: String, leaseTime: Duration = .seconds(10),
        isLinked: Bool = false
    ) {
        (self.store, self.holders, self.name, self.isLinked) = (store, holders, name, isLinked)
        self.leaseTime = leaseTime
    }

    func commit(_ commits: [SceneCommit]) throws(StoreError) -> [StoreOutcome] {
        try holders.check(name)
        var outcomes: [StoreOutcome] = []
        for commit in commits {
            let isMade = commit.changes.contains { if case .addScene = $0 { true } else { false } }
            if try isMadeElsewhere(commit) {
                outcomes.append(.lost("another server has made the session of this opening"))
                continue
            }
            if isMade { holders.names.withLock { $0[commit.scene] = name } }
            guard holders.holder(of: commit.scene) == name else {
                outcomes.append(.lost("another server has taken it"))
                continue
            }
            outcomes += try store.commit([commit])
        }
        return outcomes
    }

    /// Whether the commit makes a scene whose opening has made another one.
    private func isMadeElsewhere(_ commit: SceneCommit) throws(StoreError) -> Bool {
        for case .addScene(let header) in commit.changes {
            if let once = header.once, let root = try store.rootKey(ofOpening: once), root != header.key { return true }
        }
        return false
    }

    func scene(withSessionKey key: String) throws(StoreError) -> StoredScene? {
        guard let scene = try store.scene(withSessionKey: key) else { return nil }
        let holder = holders.names.withLock { names in
            let holder = names[scene.header.key] ?? name
            names[scene.header.key] = holder
            return holder
        }
        guard holder == name else {
            throw .held(known(holder))
        }
        return scene
    }

    var holder: SceneHolder? { known(name) }

    private func known(_ server: String) -> SceneHolder {
        SceneHolder(server: server, address: isLinked ? server : nil, description: "process 7 on \(server)")
    }

    func rootKey(ofOpening once: String) throws(StoreError) -> String? { try store.rootKey(ofOpening: once) }

    func scenes(for filter: SceneFilter, from place: Int) throws(StoreError) -> SceneListing {
        try holders.check(name)
        let found = try store.scenes(for: filter, from: place).scenes.map { scene in
            var scene = scene
            scene.holder = holders.holder(of: scene.header.key).map(known)
            return scene
        }
        return SceneListing(scenes: found)
    }

    func removeScenes(unusedFor time: Duration) throws(StoreError) -> StoreSweep {
        StoreSweep(removed: 0, isDone: true)
    }

    func checkOwner(of scene: String) throws(StoreError) {
        guard holders.holder(of: scene) == name else { throw .lost("another server has taken it") }
    }

    func release(_ scene: String) throws(StoreError) {
        holders.names.withLock { names in if names[scene] == name { names[scene] = nil } }
    }

    func renew() throws(StoreError) {}

    func takeLapse() -> StoreLapse? { holders.takeLapse(of: name) ? .lease : nil }

    func leave() throws(StoreError) { holders.leave(name) }

    func close() {
        holders.leave(name)
    }
}
