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

    package init(
        key: String, scene: String, viewModel: String, newest: Int, used: Int64, bytes: Int, holder: String? = nil
    ) {
        self.key = key
        self.scene = scene
        self.viewModel = viewModel
        self.newest = newest
        self.used = used
        self.bytes = bytes
        self.holder = holder
    }

    package var isRoot: Bool { key == scene }
}

/// A store that can be looked through, for people.
package protocol ListedStore: SessionStore {
    /// Every stored session: scenes that were used last first, each with its root first.
    ///
    /// - Throws: `StoreError`.
    func summaries() throws(StoreError) -> [StoredSummary]
}
