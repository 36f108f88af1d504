import Synchronization

/// What servers with the same store do for each other's clients: the figures of one of them.
///
/// Any thread may call it.
package final class RelayCounts: Sendable {
    private let current = Atomic<Int>(0)
    private let all = Atomic<Int>(0)
    private let movedSessions = Atomic<Int>(0)

    /// Views of this server's clients that look at a session of another server.
    package var views: Int { current.load(ordering: .relaxed) }
    /// Such views, ever.
    var allViews: Int { all.load(ordering: .relaxed) }
    /// Sessions that went to another server, since their views are there, or came from one.
    package var moved: Int { movedSessions.load(ordering: .relaxed) }

    /// A view of a client here is now a view of a session on another server.
    package func didRelay() {
        current.wrappingAdd(1, ordering: .relaxed)
        all.wrappingAdd(1, ordering: .relaxed)
    }

    /// Such a view has ended, or its session has come here. Called once for each `didRelay`.
    package func didEndRelay() {
        current.wrappingSubtract(1, ordering: .relaxed)
    }

    /// A session has gone to another server, or was taken from one that still lives.
    package func didMove() {
        movedSessions.wrappingAdd(1, ordering: .relaxed)
    }
}
