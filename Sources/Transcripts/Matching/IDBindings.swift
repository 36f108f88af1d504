import JSONRPC
import Queues

/// Which ids of a play stand for which of the transcript: those of requests that the checked side makes, and counts in its
/// own way.
struct IDBindings {
    /// An id may be named after its answer, by a cancellation that crossed it. For how many answers it is kept.
    private static let keptCount = 1024

    /// The transcript's to the play's, of requests that wait for their answer; and back.
    private var open: [CallID: RequestID] = [:]
    private var openBack: [CallID: RequestID] = [:]
    /// Of those whose answer was sent, only where they differ.
    private var answered: [CallID: RequestID] = [:]
    private var answeredOrder = Deque<CallID>()

    /// What stands for `expected` in this play.
    func actual(for expected: RequestID, on connection: Int) -> RequestID {
        let key = CallID(id: expected, connection: connection)
        return open[key] ?? answered[key] ?? expected
    }

    /// As `actual`, only while the request waits for its answer.
    func open(_ expected: RequestID, on connection: Int) -> RequestID? {
        open[CallID(id: expected, connection: connection)]
    }

    /// Whose place the id of a request that waits for its answer has in the transcript.
    func expected(forOpen actual: RequestID, on connection: Int) -> RequestID? {
        openBack[CallID(id: actual, connection: connection)]
    }

    mutating func bind(_ expected: RequestID, to actual: RequestID, on connection: Int) {
        open[CallID(id: expected, connection: connection)] = actual
        openBack[CallID(id: actual, connection: connection)] = expected
    }

    /// The answer to a request is sent: its id may be used again.
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

    /// Those of a message that fits as a whole.
    mutating func formUnion(_ other: IDBindings) {
        for (key, actual) in other.open { if let id = key.id { bind(id, to: actual, on: key.connection) } }
    }
}
