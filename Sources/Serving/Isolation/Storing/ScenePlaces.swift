import Sessions

/// Which process has which scene of a store, so that no scene is in two of them. A pure rule.
///
/// A process is where view models run, so it isn't trusted with scenes that it hasn't got.
struct ScenePlaces<Process: Hashable> {
    private struct Place {
        let process: Process
        let once: String?
        /// Of its sessions.
        var keys: Set<String>
        /// Nil until the process has made the scene that it has read.
        var life: (number: Int, life: SceneLife)?
        /// Its root has ended.
        var isEnding = false
    }

    /// By the root's key.
    private var places: [String: Place] = [:]
    /// The root's key, by that of any session.
    private var roots: [String: String] = [:]
    private var rootsByOpening: [String: String] = [:]
    private var processes: Set<Process> = []
    /// Those that ever had a scene. What is stored of them goes on in others, also where they have given it up.
    private var holders: Set<Process> = []

    mutating func add(_ process: Process) {
        processes.insert(process)
    }

    /// Whether a process has any, or had.
    func hadScenes(_ process: Process) -> Bool { holders.contains(process) }

    /// The scene that is asked for, where another process has it.
    func place(of query: StoreQuery, otherThan process: Process) -> (scene: String, process: Process)? {
        let root =
            switch query {
            case .session(let key): roots[key]
            case .opening(let once): rootsByOpening[once]
            case .owner: nil as String?
            }
        guard let root, let place = places[root], place.process != process, !place.isEnding else { return nil }
        return (root, place.process)
    }

    /// Whether a process has a session.
    func has(_ process: Process, session key: String) -> Bool { roots[key].map { has(process, $0) } ?? false }

    func has(_ process: Process, _ scene: String) -> Bool { places[scene]?.process == process }

    /// A process is given a scene that was read.
    ///
    /// - Returns: false where the process is gone.
    mutating func didRead(_ scene: StoredScene, for process: Process) -> Bool {
        guard processes.contains(process) else { return false }
        let root = scene.header.key
        // Read again while it is there, as by two clients at a time.
        guard places[root]?.process != process else { return true }
        place(root, Place(process: process, once: scene.header.once, keys: Set(scene.sessions.map(\.header.key))))
        return true
    }

    private mutating func place(_ root: String, _ place: Place) {
        holders.insert(place.process)
        places[root] = place
        for key in place.keys { roots[key] = root }
        if let once = place.once { rootsByOpening[once] = root }
    }

    /// A process changes a scene.
    ///
    /// - Parameter number: of the scene's life there.
    /// - Returns: the life here, and those changes that are of the scene: a session that is gone has none, and one of another
    ///   scene isn't this one's to change. Nil where the process hasn't got the scene, or is gone.
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

    /// - Returns: nil where it isn't a change of this scene.
    private mutating func take(_ change: StoredChange, of root: String, _ place: inout Place) -> StoredChange? {
        switch change {
        case .addSession(let header):
            guard header.scene == root, roots[header.key] == nil else { return nil }
            place.keys.insert(header.key)
            roots[header.key] = root
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
            // Longer than any server speaks of its scenes, and short enough to be added to.
            return key == root ? .useScene(key: key, time: time, ahead: min(max(0, ahead), 86_400)) : nil
        case .share(let scene, _): return scene == root ? change : nil
        }
    }

    /// The commit of a life has an outcome.
    ///
    /// - Parameter endsScene: as `willCommit` has said.
    mutating func didCommit(_ life: SceneLife, _ outcome: StoreOutcome, endsScene: Bool) {
        guard let place = places[life.key], place.life?.life === life, outcome.isLost || endsScene else { return }
        remove(life.key)
    }

    /// A process isn't given a scene after all that was read for it.
    mutating func didNotGive(_ root: String, to process: Process) {
        if let place = places[root], place.process == process, place.life == nil { remove(root) }
    }

    /// A process gives a scene up.
    ///
    /// - Returns: the life that ends; nil where it is no longer the process's.
    mutating func release(_ root: String, _ number: Int, by process: Process) -> SceneLife? {
        guard let place = places[root], place.process == process, place.life.map({ $0.number == number }) ?? true
        else { return nil }
        remove(root)
        return place.life?.life ?? SceneLife(root)
    }

    /// A process gives all of its scenes up.
    ///
    /// - Parameter isGone: it has ended.
    /// - Returns: their lives.
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
        for key in place.keys where roots[key] == root { roots[key] = nil }
        if let once = place.once, rootsByOpening[once] == root { rootsByOpening[once] = nil }
    }
}
