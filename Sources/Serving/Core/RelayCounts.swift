import Synchronization

/// Counts what this server and others with the same store do for each other's clients.
///
/// Any thread may call it.
package final class RelayCounts: Sendable {
    private let current = Atomic<Int>(0)
    private let all = Atomic<Int>(0)
    private let movedSessions = Atomic<Int>(0)

    /// The number of views that this server's clients now have of sessions on other servers.
    package var views: Int { current.load(ordering: .relaxed) }
    /// The number of views that this server's clients have ever had of sessions on other servers.
    var allViews: Int { all.load(ordering: .relaxed) }
    /// The number of sessions that moved to another server, where their views are, or came from one.
    package var moved: Int { movedSessions.load(ordering: .relaxed) }

    /// Counts a client's view that is from now on a view of a session on another server.
    package func didRelay() {
        current.wrappingAdd(1, ordering: .relaxed)
        all.wrappingAdd(1, ordering: .relaxed)
    }

    /// Counts the end of a view that `didRelay` has counted, or the move of its session to this server. Called once for each.
    package func didEndRelay() {
        current.wrappingSubtract(1, ordering: .relaxed)
    }

    /// Counts a session that has moved to another server, or was taken from one that still runs.
    package func didMove() {
        movedSessions.wrappingAdd(1, ordering: .relaxed)
    }
}
