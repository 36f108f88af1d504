import Sessions

/// The rule that says which process has which scene of a store, so that no scene is in two processes. A value without side
/// effects.
///
/// Processes run view models, so none is trusted with scenes that it doesn't have.
struct ScenePlaces<Process: Hashable> {
    private struct Place {
        let process: Process
        let once: String?
        /// The keys of the scene's sessions.
        var keys: Set<String>
        /// The keys by which sessions of the scene are found by those who only look.
        var readKeys: Set<String> = []
        /// The scene's life in the process and here; nil until the process has committed something of the scene.
        var life: (number: Int, life: SceneLife)?
        /// Whether the scene's root has ended.
        var isEnding = false
    }

    /// The place of each scene, by its root's key.
    private var places: [String: Place] = [:]
    /// The root's key for each session, by the session's key.
    private var roots: [String: String] = [:]
    private var rootsByOpening: [String: String] = [:]
    private var processes: Set<Process> = []
    /// The processes that ever had a scene. What is stored of those scenes goes on in other processes, even where it was
    /// given up.
    private var holders: Set<Process> = []

    mutating func add(_ process: Process) {
        processes.insert(process)
    }

    /// Returns whether a process has or had a scene.
    func hadScenes(_ process: Process) -> Bool { holders.contains(process) }

    /// Returns the scene that a query asks for, where another process has it.
    func place(of query: StoreQuery, otherThan process: Process) -> (scene: String, process: Process)? {
        let root =
            switch query {
            case .session(let key): roots[key] ?? ReadKey.beginning(of: key).flatMap { roots[$0] }
            case .opening(let once): rootsByOpening[once]
            case .owner: nil as String?
            }
        guard let root, let place = places[root], place.process != process, !place.isEnding else { return nil }
        return (root, place.process)
    }

    /// Returns whether a process has a session.
    func has(_ process: Process, session key: String) -> Bool { roots[key].map { has(process, $0) } ?? false }

    func has(_ process: Process, _ scene: String) -> Bool { places[scene]?.process == process }

    /// Whether the root of a scene has ended, and that isn't stored yet.
    func isEnding(_ scene: String) -> Bool { places[scene]?.isEnding == true }

    /// Gives a process a scene that was read from the store.
    ///
    /// - Returns: false where the process is gone.
    mutating func didRead(_ scene: StoredScene, for process: Process) -> Bool {
        guard processes.contains(process) else { return false }
        let root = scene.header.key
        // The process may have it, as when two of its clients asked at the same time.
        guard places[root]?.process != process else { return true }
        place(
            root,
            Place(
                process: process, once: scene.header.once, keys: Set(scene.sessions.map(\.header.key)),
                readKeys: Set(scene.sessions.compactMap(\.readKey))))
        return true
    }

    private mutating func place(_ root: String, _ place: Place) {
        holders.insert(place.process)
        places[root] = place
        for key in place.keys.union(place.readKeys) { roots[key] = root }
        if let once = place.once { rootsByOpening[once] = root }
    }

    /// Notes the changes that a process commits to a scene.
    ///
    /// - Parameter number: the number of the scene's life in the process.
    /// - Returns: the scene's life here, and the changes that belong to the scene: those of removed sessions and of other
    ///   scenes are left out. Nil where the process doesn't have the scene, or is gone.
    mutating func willCommit(
        _ changes: [StoredChange], of root: String, _ number: Int, by process: Process
    ) -> (life: SceneLife, changes: [StoredChange], endsScene: Bool)? {
        guard processes.contains(process) else { return nil }
        if places[root] == nil, case .addScene(let header)? = changes.first, header.key == root {
            place(root, Place(process: process, once: header.once, keys: []))
        }
        guard var place = places[root], place.process == process, place.life.map({ $0.number == number }) ?? true
        else { return nil }
        let life = place.life?.life ?? SceneLife(root)
        place.life = (number, life)
        let wasEnding = place.isEnding
        let own = changes.compactMap { take($0, of: root, &place) }
        places[root] = place
        return (life, own, place.isEnding && !wasEnding)
    }

    /// Notes one change of a scene.
    ///
    /// - Returns: the change; nil where it doesn't belong to this scene.
    private mutating func take(_ change: StoredChange, of root: String, _ place: inout Place) -> StoredChange? {
        switch change {
        case .addSession(let header):
            guard header.scene == root, roots[header.key] == nil else { return nil }
            place.keys.insert(header.key)
            roots[header.key] = root
            return change
        case .setReadKey(let session, let key):
            guard place.keys.contains(session), roots[key] ?? root == root else { return nil }
            place.readKeys.insert(key)
            roots[key] = root
            return change
        case .removeSession(let key):
            guard place.keys.contains(key) else { return nil }
            if key == root {
                place.isEnding = true
            } else {
                place.keys.remove(key)
                roots[key] = nil
            }
            return change
        case .turn(let turn): return place.keys.contains(turn.session) ? change : nil
        case .addScene(let header): return header.key == root ? change : nil
        case .useScene(let key, let time, let ahead):
            // The bound is longer than any server asks for, and short enough to be added to a time.
            return key == root ? .useScene(key: key, time: time, ahead: min(max(0, ahead), 86_400)) : nil
        case .share(let scene, _): return scene == root ? change : nil
        }
    }

    /// Notes the outcome of a commit: a scene that was lost or has ended is in no process any more.
    ///
    /// - Parameter endsScene: the value that `willCommit` returned.
    mutating func didCommit(_ life: SceneLife, _ outcome: StoreOutcome, endsScene: Bool) {
        guard let place = places[life.key], place.life?.life === life, outcome.isLost || endsScene else { return }
        remove(life.key)
    }

    /// Takes back a scene that was read for a process but couldn't be given to it.
    mutating func didNotGive(_ root: String, to process: Process) {
        if let place = places[root], place.process == process, place.life == nil { remove(root) }
    }

    /// Removes a scene that a process gives up.
    ///
    /// - Returns: the life that ends; nil where the process doesn't have it any more.
    mutating func release(_ root: String, _ number: Int, by process: Process) -> SceneLife? {
        guard let place = places[root], place.process == process, place.life.map({ $0.number == number }) ?? true
        else { return nil }
        remove(root)
        return place.life?.life ?? SceneLife(root)
    }

    /// Removes all scenes of a process.
    ///
    /// - Parameter isGone: whether the process has ended.
    /// - Returns: the lives that end.
    mutating func leave(_ process: Process, isGone: Bool) -> [SceneLife] {
        if isGone {
            processes.remove(process)
            holders.remove(process)
        }
        let left = places.filter { $0.value.process == process }.sorted { $0.key < $1.key }
        for (root, _) in left { remove(root) }
        return left.map { root, place in place.life?.life ?? SceneLife(root) }
    }

    private mutating func remove(_ root: String) {
        guard let place = places.removeValue(forKey: root) else { return }
        for key in place.keys.union(place.readKeys) where roots[key] == root { roots[key] = nil }
        if let once = place.once, rootsByOpening[once] == root { rootsByOpening[once] = nil }
    }
}
