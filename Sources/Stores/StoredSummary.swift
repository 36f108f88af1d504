package import Sessions

/// A stored session in a list.
package struct StoredSummary: Sendable, Equatable {
    package let key: String
    /// The key of the scene's root.
    package let scene: String
    /// The name under which the session's view model is registered.
    package let viewModel: String
    /// The number of the session's newest event.
    package let newest: Int
    /// The time when somebody last used the scene, in seconds since 1970.
    package let used: Int64
    /// The size of the session's events, state and arguments in bytes.
    package let bytes: Int
    /// The server that has the scene, as "process 12 on host x"; nil where none has it, or the store doesn't say so.
    package let holder: String?
    /// Whether the store has lost nothing of the session. Where it has lost the view model's name, that is empty.
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

/// A store whose sessions can be listed, for people.
package protocol ListingStore: SessionStore {
    /// Returns every stored session: the most recently used scenes first, each with its root first.
    ///
    /// - Throws: `StoreError`.
    func summaries() throws(StoreError) -> [StoredSummary]

    /// Removes what is left of a scene of which a part is lost, by the key of its root.
    ///
    /// - Throws: `StoreError`.
    func discard(_ root: String) throws(StoreError)
}

extension ListingStore {
    /// Removes a scene, by the key of its root, even one of which a part is lost.
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
