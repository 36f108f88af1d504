import JSONRPC
import Queues

/// A call of one connection, identified among the calls of all connections.
struct CallID: Hashable {
    /// Nil for an answer to a call whose id couldn't be read.
    let id: RequestID?
    let connection: Int
}

/// The keys and ids of a play that differ from those in its transcript.
struct Bindings {
    var keys = KeyBindings()
    var ids = IDBindings()

    /// Adds what was learnt from a message that matches as a whole.
    mutating func formUnion(_ other: Bindings) {
        keys.formUnion(other.keys)
        ids.formUnion(other.ids)
    }
}

/// Session keys of a play and the keys they stand for in the transcript: a server makes new keys each time.
struct KeyBindings {
    private var actual: [ScalarString: ScalarString] = [:]
    private var expected: [ScalarString: ScalarString] = [:]
    /// Whether every key so far is the transcript's own, so that strings can be compared directly.
    private(set) var isIdentity = true

    /// The key of this play; nil when `expected` isn't a known key.
    func actual(for expected: ScalarString) -> ScalarString? { actual[expected] }

    /// The key in the transcript; nil when `actual` isn't a known key.
    func expected(for actual: ScalarString) -> ScalarString? { expected[actual] }

    /// Neither may be bound yet.
    mutating func bind(_ expected: ScalarString, to actual: ScalarString) {
        self.actual[expected] = actual
        self.expected[actual] = expected
        if expected != actual { isIdentity = false }
    }

    mutating func formUnion(_ other: KeyBindings) {
        for (expected, actual) in other.actual { bind(expected, to: actual) }
    }
}

/// Ids of requests that the checked side makes, and the ids they stand for in the transcript: each peer counts in its
/// own way.
struct IDBindings {
    /// A cancellation that crosses the answer names a request after its answer, so this many answered ones are
    /// remembered.
    private static let keptCount = 1024

    /// The transcript's id to the play's, for requests without an answer; and the reverse.
    private var open: [CallID: RequestID] = [:]
    private var openBack: [CallID: RequestID] = [:]
    /// For answered requests, and only where the ids differ.
    private var answered: [CallID: RequestID] = [:]
    private var answeredOrder = Deque<CallID>()

    /// The id that stands for `expected` in this play.
    func actual(for expected: RequestID, on connection: Int) -> RequestID {
        let key = CallID(id: expected, connection: connection)
        return open[key] ?? answered[key] ?? expected
    }

    /// As `actual`, but only while the request has no answer.
    func open(_ expected: RequestID, on connection: Int) -> RequestID? {
        open[CallID(id: expected, connection: connection)]
    }

    /// The transcript's id of a request that has no answer yet.
    func expected(forOpen actual: RequestID, on connection: Int) -> RequestID? {
        openBack[CallID(id: actual, connection: connection)]
    }

    mutating func bind(_ expected: RequestID, to actual: RequestID, on connection: Int) {
        open[CallID(id: expected, connection: connection)] = actual
        openBack[CallID(id: actual, connection: connection)] = expected
    }

    /// The request is answered: from here on its id may be used again.
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
