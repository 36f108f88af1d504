import Synchronization

/// Brings changes of durable sessions to their store, in a thread of its own, many sessions together.
///
/// Any thread may call it, and no call blocks. Closures are called on the journal's thread, with no lock held, and must not
/// block.
package protocol SessionJournal: AnyObject, Sendable {
    /// Stores these changes of a scene, all or none, after those of earlier calls.
    ///
    /// Where the store can't be reached the commit is tried again, and later ones wait. So `then` is called in the order of the
    /// calls of each scene.
    ///
    /// - Parameter then: called once. After `lost`, all that is to come of this life is lost, too.
    func commit(scene: SceneLife, changes: [StoredChange], then: @escaping StoreCompletion)

    /// Gives a scene up, after its commits of earlier calls. Any server that is asked for the scene may have it then, and its
    /// life is over.
    func release(scene: SceneLife)

    /// - Parameter action: called when scenes may not be in the store as this server left them: others may have taken them, as
    ///   while it was stopped, or the store has lost what it had acknowledged (`StoreLapse`).
    func whenLapsed(_ action: @escaping @Sendable () -> Void)

    /// Gives all scenes up, after everything of earlier calls: this server ends, and others may have them at once.
    func leave()

    /// Reads a scene, with everything of earlier calls of `commit`, and takes it for this server.
    ///
    /// - Parameter then: called once: with `held` where another server has it.
    func load(_ query: StoreQuery, then: @escaping @Sendable (Result<StoredScene?, StoreError>) -> Void)

    /// Lists stored scenes, with everything of earlier calls of `commit`, the most recently used first. None of them is taken
    /// or used by this.
    ///
    /// - Parameter then: called once.
    func list(_ filter: SceneFilter, then: @escaping @Sendable (Result<[ListedScene], StoreError>) -> Void)

    /// Why nothing can be stored now; nil while the store works.
    var failure: StoreError? { get }

    /// How long the scenes of a server that ended without giving them up stay its own; zero where they are free at once.
    var leaseTime: Duration { get }

    /// This server, as others with the same store know it; nil where a store is one server's alone.
    var holder: SceneHolder? { get }

    /// Seconds since 1970.
    var time: Int64 { get }

    /// Figures since the start.
    var counts: StoreCounts { get }

    /// Removes the scenes that nobody has used for this time, as the store counts it. Other calls aren't held up meanwhile.
    func sweep(unusedFor time: Duration)
}

extension SessionJournal {
    /// Nil: the store is this server's alone.
    package var holder: SceneHolder? { nil }
}

/// Figures of a store since the start.
package struct StoreCounts: Sendable {
    /// Transactions, and the turns of sessions in them.
    package var commits = 0
    package var turns = 0
    /// The time that all transactions took together.
    package var commitTime = Duration.zero
    /// Scenes that were read.
    package var loads = 0
    package var errors = 0

    package init() {}

    /// Counts a transaction that is stored.
    package mutating func add(commit time: Duration) {
        commits += 1
        commitTime += time
    }
}

/// A way to look up a stored scene.
package enum StoreQuery: Sendable {
    /// The scene that has a session with this key.
    case session(key: String)
    /// The scene that an opening with this `once` has made.
    case opening(once: String)
    /// No scene. The query only fails where this server doesn't have the named scene any more.
    ///
    /// - Parameter scene: the root's key.
    case owner(scene: String)
}

/// The life of a scene: the time for which it is in the memory of a server. Made again, the scene has another life, whose
/// commits are told apart from those of the one before.
package final class SceneLife: Sendable {
    /// The root's key.
    package let key: String
    /// A number that no other life of this process has.
    package let number: Int
    private let isEnded = Atomic<Bool>(false)

    private static let count = Atomic<Int>(0)

    package init(_ key: String) {
        self.key = key
        number = Self.count.wrappingAdd(1, ordering: .relaxed).newValue
    }

    /// Whether nothing of this life is stored any more.
    package var isOver: Bool { isEnded.load(ordering: .acquiring) }

    /// Ends the life. Called by the journal, in the order of the store's calls.
    package func end() {
        isEnded.store(true, ordering: .releasing)
    }
}
