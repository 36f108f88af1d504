import Sessions
import Synchronization

/// A store that does what a test says, and notes what it was asked to do.
final class ScriptedStore: SessionStore {
    private struct State {
        var commits: [[StoredChange]] = []
        var loads = 0
        var isClosed = false
        var sweeps: [Int64] = []
        var owns = true
    }

    private let state = Mutex(State())
    private let onCommit: @Sendable (_ call: Int, [StoredChange]) throws(StoreError) -> Void

    /// - Parameter onCommit: called for each commit, the first under 1. What it throws is what the store throws.
    init(onCommit: @escaping @Sendable (_ call: Int, [StoredChange]) throws(StoreError) -> Void = { _, _ in }) {
        self.onCommit = onCommit
    }

    /// All calls, also those that failed.
    var commits: [[StoredChange]] { state.withLock { $0.commits } }
    var loads: Int { state.withLock { $0.loads } }
    var sweeps: [Int64] { state.withLock { $0.sweeps } }
    var isClosed: Bool { state.withLock { $0.isClosed } }

    /// Another server has it from now on.
    func takeOver() {
        state.withLock { $0.owns = false }
    }

    func commit(_ changes: [StoredChange]) throws(StoreError) {
        let call = state.withLock { state in
            state.commits.append(changes)
            return state.commits.count
        }
        try onCommit(call, changes)
    }

    func scene(withSessionKey key: String) throws(StoreError) -> StoredScene? {
        state.withLock { $0.loads += 1 }
        if key == "broken" { throw .unusable("broken") }
        return nil
    }

    func rootKey(ofOpening once: String) throws(StoreError) -> String? { nil }

    func removeScenes(unusedSince time: Int64) throws(StoreError) -> Int {
        state.withLock { $0.sweeps.append(time) }
        return 3
    }

    func checkOwner() throws(StoreError) {
        guard state.withLock({ $0.owns }) else { throw .takenOver("gone") }
    }

    func close() {
        state.withLock { $0.isClosed = true }
    }
}
