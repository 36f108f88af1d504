import Sessions
import Synchronization

extension SessionStore {
    /// Stores changes as commits of their scenes, as a journal does. Those that this store hasn't seen are read first, and so
    /// taken.
    func commit(_ changes: [StoredChange]) throws(StoreError) {
        var commits: [(scene: String, changes: [StoredChange])] = []
        for change in changes {
            let scene = try scene(of: change)
            if let index = commits.firstIndex(where: { $0.scene == scene }) {
                commits[index].changes.append(change)
            } else {
                commits.append((scene, [change]))
            }
        }
        for outcome in try commit(commits.map { SceneCommit(scene: $0.scene, changes: $0.changes) }) {
            switch outcome {
            case .stored: break
            case .refused(let reason): throw .unusable(reason)
            case .lost(let reason): throw .lost(reason)
            }
        }
    }

    /// Removes all that nobody has used for so long, in as many steps as the machine takes.
    ///
    /// - Returns: how many scenes it has removed.
    func sweep(unusedFor time: Duration) throws(StoreError) -> Int {
        var count = 0
        while true {
            let step = try removeScenes(unusedFor: time)
            count += step.removed
            if step.isDone { return count }
        }
    }

    private func scene(of change: StoredChange) throws(StoreError) -> String {
        switch change {
        case .addScene(let header): return KnownScenes.note(header.key, of: header.key, in: self)
        case .addSession(let header):
            let root = try scene(ofSession: header.scene)
            return KnownScenes.note(root, of: header.key, in: self)
        case .turn(let turn): return try scene(ofSession: turn.session)
        case .setReadKey(let session, _): return try scene(ofSession: session)
        case .removeSession(let key), .useScene(let key, _, _): return try scene(ofSession: key)
        case .share(let key, _): return try scene(ofSession: key)
        }
    }

    private func scene(ofSession key: String) throws(StoreError) -> String {
        if let known = KnownScenes.root(of: key, in: self) { return known }
        return KnownScenes.note(try scene(withSessionKey: key)?.header.key ?? key, of: key, in: self)
    }
}

/// The roots of the sessions that a store has seen.
private enum KnownScenes {
    private struct Known {
        weak var store: (any SessionStore)?
        var roots: [String: String] = [:]
    }

    private static let stores = Mutex<[ObjectIdentifier: Known]>([:])

    static func root(of key: String, in store: any SessionStore) -> String? {
        stores.withLock { stores in
            guard let known = stores[ObjectIdentifier(store)], known.store === store else { return nil }
            return known.roots[key]
        }
    }

    static func note(_ root: String, of key: String, in store: any SessionStore) -> String {
        stores.withLock { stores in
            // Another one may have been in its place in memory.
            if stores[ObjectIdentifier(store)]?.store !== store {
                stores[ObjectIdentifier(store)] = Known(store: store)
            }
            stores[ObjectIdentifier(store)]?.roots[key] = root
            return root
        }
    }
}
