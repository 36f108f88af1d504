import JSONRPC
import Queues

/// A request of one connection, identified among the requests of all connections.
struct CallID: Hashable {
    /// The request's id; nil for an answer to a request whose id couldn't be read.
    let id: RequestID?
    let connection: Int
}

/// The keys and ids that differ between a play and its transcript.
struct Bindings {
    var keys = KeyBindings()
    var ids = IDBindings()

    /// Adds the bindings that were learnt from a message that matches as a whole.
    mutating func formUnion(_ other: Bindings) {
        keys.formUnion(other.keys)
        ids.formUnion(other.ids)
    }
}

/// Session keys of the transcript and those of the play: a server makes new keys in each play.
struct KeyBindings {
    private var actual: [ScalarString: ScalarString] = [:]
    private var expected: [ScalarString: ScalarString] = [:]
    /// Whether each key so far is the same in both, so that strings can be compared directly.
    private(set) var isIdentity = true

    /// Returns the play's key for a key of the transcript; nil if that key isn't bound.
    func actual(for expected: ScalarString) -> ScalarString? { actual[expected] }

    /// Returns the transcript's key for a key of the play; nil if that key isn't bound.
    func expected(for actual: ScalarString) -> ScalarString? { expected[actual] }

    /// Binds a key of the transcript to one of the play. Neither may be bound yet.
    mutating func bind(_ expected: ScalarString, to actual: ScalarString) {
        self.actual[expected] = actual
        self.expected[actual] = expected
        if expected != actual { isIdentity = false }
    }

    mutating func formUnion(_ other: KeyBindings) {
        for (expected, actual) in other.actual { bind(expected, to: actual) }
    }
}

/// Ids in the transcript and in the play of requests from the side that is checked: each client or server numbers its requests
/// in its own way.
struct IDBindings {
    /// The number of answered requests whose ids are kept. If a cancellation and the answer cross, the cancellation comes later
    /// and names an answered request.
    private static let keptCount = 1024

    /// For requests without an answer: the play's ids by the transcript's, and the reverse.
    private var open: [CallID: RequestID] = [:]
    private var openBack: [CallID: RequestID] = [:]
    /// For answered requests whose ids differ: the play's ids by the transcript's.
    private var answered: [CallID: RequestID] = [:]
    private var answeredOrder = Deque<CallID>()

    /// Returns the play's id for an id of the transcript; `expected` itself if that isn't bound.
    func actual(for expected: RequestID, on connection: Int) -> RequestID {
        let key = CallID(id: expected, connection: connection)
        return open[key] ?? answered[key] ?? expected
    }

    /// Returns the play's id of a request that has no answer yet; nil for any other request.
    func open(_ expected: RequestID, on connection: Int) -> RequestID? {
        open[CallID(id: expected, connection: connection)]
    }

    /// Returns the transcript's id for the play's id of a request that has no answer yet; nil for any other id.
    func expected(forOpen actual: RequestID, on connection: Int) -> RequestID? {
        openBack[CallID(id: actual, connection: connection)]
    }

    mutating func bind(_ expected: RequestID, to actual: RequestID, on connection: Int) {
        open[CallID(id: expected, connection: connection)] = actual
        openBack[CallID(id: actual, connection: connection)] = expected
    }

    /// Notes that a request was answered, so that its id may be used again.
    mutating func answer(_ expected: RequestID, on connection: Int) {
        let key = CallID(id: expected, connection: connection)
        guard let actual = open.removeValue(forKey: key) else { return }
        openBack[CallID(id: actual, connection: connection)] = nil
        if actual == expected {
            answered[key] = nil
        } else if answered.updateValue(actual, forKey: key) == nil {
            answeredOrder.append(key)
            if answeredOrder.count > Self.keptCount, let oldest = answeredOrder.popFirst() { answered[oldest] = nil }
        }
    }

    mutating func formUnion(_ other: IDBindings) {
        for (key, actual) in other.open { if let id = key.id { bind(id, to: actual, on: key.connection) } }
    }
}
