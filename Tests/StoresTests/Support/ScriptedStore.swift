import Sessions
import Synchronization

/// A store that does what a test says, and notes what it was asked to do.
final class ScriptedStore: SessionStore {
    private struct State {
        var commits: [[StoredChange]] = []
        var loads = 0
        var isClosed = false
        var sweeps: [Duration] = []
        var releases: [String] = []
        var owns = true
        var isAway = false
        var lapse: StoreLapse?
    }

    private let state = Mutex(State())
    private let onSweep: @Sendable (_ step: Int) -> Void
    private let onList: @Sendable (_ place: Int) -> Void
    private let onCommit: @Sendable (_ call: Int, [StoredChange]) throws(StoreError) -> Void

    /// - Parameter onCommit: called for each commit, the first under 1. What it throws is what the
    ///   store throws, but for `lost(KEY)`, which is the outcome of that scene alone, and `unusable`, which is that of each.
    init(
        onCommit: @escaping @Sendable (_ call: Int, [StoredChange]) throws(StoreError) -> Void = { _, _ in },
        onSweep: @escaping @Sendable (_ step: Int) -> Void = { _ in },
        onList: @escaping @Sendable (_ place: Int) -> Void = { _ in }
    ) {
        self.onList = onList
        self.onSweep = onSweep
        self.onCommit = onCommit
    }

    /// All calls, also those that failed.
    var commits: [[StoredChange]] { state.withLock { $0.commits } }
    var loads: Int { state.withLock { $0.loads } }
    var sweeps: [Duration] { state.withLock { $0.sweeps } }
    var isClosed: Bool { state.withLock { $0.isClosed } }

    /// Another server has it from now on.
    func takeOver() {
        state.withLock { $0.owns = false }
    }

    /// Something has happened to it.
    func lapse(_ lapse: StoreLapse) {
        state.withLock { $0.lapse = lapse }
    }

    /// It can't be reached from now on, or can again.
    func setAway(_ isAway: Bool) {
        state.withLock { $0.isAway = isAway }
    }

    var leaseTime: Duration { .zero }

    func commit(_ commits: [SceneCommit]) throws(StoreError) -> [StoreOutcome] {
        let changes = commits.flatMap(\.changes)
        let call = state.withLock { state in
            state.commits.append(changes)
            return state.commits.count
        }
        do throws(StoreError) {
            try onCommit(call, changes)
            return commits.map { _ in .stored }
        } catch {
            switch error {
            case .unusable(let reason): return commits.map { _ in .refused(reason) }
            // The script's name of a scene.
            case .lost(let scene): return commits.map { $0.scene == scene ? .lost("elsewhere") : .stored }
            default: throw error
            }
        }
    }

    var releases: [String] { state.withLock { $0.releases } }

    func release(_ scene: String) throws(StoreError) {
        state.withLock { $0.releases.append(scene) }
    }

    func scene(withSessionKey key: String) throws(StoreError) -> StoredScene? {
        state.withLock { $0.loads += 1 }
        if key == "broken" { throw .unusable("broken") }
        return nil
    }

    func rootKey(ofOpening once: String) throws(StoreError) -> String? { nil }

    /// Two scenes in each step: "0" and "1", "1" and "2", and so on, without end.
    func scenes(for filter: SceneFilter, from place: Int) throws(StoreError) -> SceneListing {
        try renew()
        onList(place)
        let scenes = [place, place + 1].map { key in
            ListedScene(
                header: .init(key: "\(key)", owner: "", once: nil, used: 0), viewModel: "", arguments: nil, title: nil)
        }
        return SceneListing(scenes: scenes, rest: place + 1)
    }

    /// Of a hundred scenes in each step, in the third of which one is left.
    func removeScenes(unusedFor time: Duration) throws(StoreError) -> StoreSweep {
        let count = state.withLock { state in
            state.sweeps.append(time)
            return state.sweeps.count
        }
        onSweep(count)
        return StoreSweep(removed: count < 3 ? 100 : 1, isDone: count == 3)
    }

    func checkOwner(of scene: String) throws(StoreError) { try renew() }

    func renew() throws(StoreError) {
        guard state.withLock({ $0.owns }) else { throw .takenOver("gone") }
        if state.withLock({ $0.isAway }) { throw .unavailable("away") }
    }

    func takeLapse() -> StoreLapse? {
        state.withLock { state in
            defer { state.lapse = nil }
            return state.lapse
        }
    }

    func leave() throws(StoreError) {}

    func close() {
        state.withLock { $0.isClosed = true }
    }
}
