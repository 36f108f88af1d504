/// Brings changes of durable sessions to their store, in a thread of its own, many sessions together.
///
/// Any thread may call it. Nothing waits: what follows is called on the journal's thread, with no lock held, and must not
/// block.
package protocol SessionJournal: AnyObject, Sendable {
    /// Stores these changes, all or none, after those of earlier calls.
    ///
    /// Where the store can't be reached it is tried again, and those that come later wait. So `then` is called in the order
    /// of the calls.
    ///
    /// - Parameter then: called once: with true when they are stored, with false when they never will be.
    func commit(_ changes: [StoredChange], then: @escaping StoreAction)

    /// Reads a scene, with everything of earlier calls of `commit`.
    ///
    /// - Parameter then: called once.
    func load(_ query: StoreQuery, then: @escaping @Sendable (Result<StoredScene?, StoreError>) -> Void)

    /// Why nothing can be stored now; nil while the store works.
    var failure: StoreError? { get }

    /// Seconds since 1970.
    var time: Int64 { get }

    /// Figures since the start.
    var counts: StoreCounts { get }

    /// Removes the scenes that nobody has used since a time, in seconds since 1970.
    func sweep(unusedSince time: Int64)
}

/// Figures of a store since the start.
package struct StoreCounts: Sendable {
    /// Transactions, and the turns of sessions in them.
    package var commits = 0
    package var turns = 0
    /// Scenes that were read.
    package var loads = 0
    package var errors = 0

    package init() {}
}

/// A question for a stored scene.
package enum StoreQuery: Sendable {
    /// The one that has a session of this key.
    case session(key: String)
    /// The one that an opening has made.
    case opening(once: String)
    /// None: it fails where another server has the store.
    case owner
}
