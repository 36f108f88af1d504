package import Contracts

/// An event that `wait` waits for: of a kind, with these values of members, from a root or anything that is shown on
/// it.
package struct Arrival: Equatable, CustomStringConvertible {
    let kind: String
    let members: [JSONTree.Member]
    /// The number of its screen.
    let root: Int

    package init(kind: String, members: [JSONTree.Member], root: Int) {
        self.kind = kind
        self.members = members
        self.root = root
    }

    func isMatched(by event: JSONTree, root: Int) -> Bool {
        root == self.root && event["kind"]?.string == kind && members.allSatisfy { event[$0.name] == $0.value }
    }

    package var description: String {
        ([kind] + members.map { "\($0.name)=\($0.value.line)" }).joined(separator: " ")
    }
}

/// The events that have come and that nobody has waited for yet, and the one that is waited for: the rules of `wait`.
///
/// An event that comes while its cause is still handled has come before a script can wait for it. So those that came
/// since the last command that may lead to events count, but for those up to the one that the last `wait` found.
package struct Arrivals {
    /// How a `wait` ended.
    package enum Outcome: Sendable {
        case came, timedOut, cancelled
        /// The session that was waited for.
        case ended
    }

    /// The events that are kept; older ones are forgotten.
    package static let maximumCount = 1_000

    private var events: [(event: JSONTree, root: Int)] = []
    private var awaited: Arrival?

    package init() {}

    package var awaitedRoot: Int? { awaited?.root }

    /// A command begins.
    package mutating func begin(_ command: ConsoleCommand) {
        switch command {
        case .open, .reopen, .attach, .event, .back: events = []
        case .help, .list, .sessions, .use, .describe, .show, .rows, .added, .wait, .close, .detach, .quit: break
        }
    }

    /// Returns nil where the event is still to come.
    package mutating func wait(for arrival: Arrival) -> Outcome? {
        if let index = events.firstIndex(where: { arrival.isMatched(by: $0.event, root: $0.root) }) {
            events.removeFirst(index + 1)
            return .came
        }
        awaited = arrival
        return nil
    }

    package mutating func stopWaiting() {
        awaited = nil
    }

    /// Takes an event. Returns whether it is the one that is waited for.
    ///
    /// - Parameter root: the number of the root's screen.
    package mutating func add(_ event: JSONTree, root: Int) -> Bool {
        if let awaited, awaited.isMatched(by: event, root: root) {
            events = []
            return true
        }
        if events.count == Self.maximumCount { events.removeFirst(Self.maximumCount / 2) }
        events.append((event, root))
        return false
    }
}
