package import Contracts

/// The event that `wait` waits for: its kind, the values of some members, and the root that sends it, itself or by a screen
/// shown on it.
package struct Arrival: Equatable, CustomStringConvertible {
    let kind: String
    let members: [JSONTree.Member]
    /// The number of the root's screen.
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

/// The rules of `wait`: the events that have come and were not waited for yet, and the event that is waited for.
///
/// An event may come while its cause is still being handled, and so before a script can wait for it. So `wait` also finds
/// events that came since the last command that may lead to events, except those up to the event that the last `wait` found.
package struct Arrivals {
    /// How a `wait` ended.
    package enum Outcome: Sendable {
        case came, timedOut, cancelled
        /// The session ended while its event was waited for.
        case ended
    }

    /// The maximum number of events that are kept; older ones are dropped.
    package static let maximumCount = 1_000

    private var events: [(event: JSONTree, root: Int)] = []
    private var awaited: Arrival?

    package init() {}

    package var awaitedRoot: Int? { awaited?.root }

    /// Notes that a command begins. If it may lead to events, earlier events are dropped.
    package mutating func begin(_ command: ConsoleCommand) {
        switch command {
        case .open, .reopen, .attach, .event, .back: events = []
        case .help, .list, .sessions, .share, .use, .describe, .show, .rows, .added, .wait, .close, .detach, .quit:
            break
        }
    }

    /// Waits for an event. Returns `came` if it has already come, otherwise nil.
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

    /// Takes an event, and returns whether it is the one that is waited for.
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
