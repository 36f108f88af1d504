package import Sessions

/// A stored session in a list.
package struct StoredSummary: Sendable, Equatable {
    package let key: String
    /// The root's key.
    package let scene: String
    /// The name that its view model is registered under.
    package let viewModel: String
    /// The number of its newest event.
    package let newest: Int
    /// When somebody used its scene last, in seconds since 1970.
    package let used: Int64
    /// Its events, state and arguments.
    package let bytes: Int
    /// The server that has its scene, as "process 12 on host x"; nil where none has it, or the store doesn't say it.
    package let holder: String?
    /// The store has lost nothing of it. One that has lost its view model's name has none.
    package let isComplete: Bool

    package init(
        key: String, scene: String, viewModel: String, newest: Int, used: Int64, bytes: Int, holder: String? = nil,
        isComplete: Bool = true
    ) {
        self.key = key
        self.scene = scene
        self.viewModel = viewModel
        self.newest = newest
        self.used = used
        self.bytes = bytes
        self.holder = holder
        self.isComplete = isComplete
    }

    package var isRoot: Bool { key == scene }
}

/// A store that can be looked through, for people.
package protocol ListedStore: SessionStore {
    /// Every stored session: scenes that were used last first, each with its root first.
    ///
    /// - Throws: `StoreError`.
    func summaries() throws(StoreError) -> [StoredSummary]

    /// Removes what is left of a scene of which a part is lost, by the key of its root.
    ///
    /// - Throws: `StoreError`.
    func discard(_ root: String) throws(StoreError)
}

extension ListedStore {
    /// Removes a scene, by the key of its root, also one of which a part is lost.
    ///
    /// - Returns: whether there was one.
    /// - Throws: `StoreError`: `held` where a server has it.
    package func remove(_ root: String) throws(StoreError) -> Bool {
        do throws(StoreError) {
            guard try scene(withSessionKey: root) != nil else { return false }
        } catch {
            guard case .incomplete = error else { throw error }
            try discard(root)
            return true
        }
        switch try commit([SceneCommit(scene: root, changes: [.removeSession(key: root)])]).first {
        case .lost(let reason)?, .refused(let reason)?: throw .unusable(reason)
        case .stored?, nil: return true
        }
    }
}
