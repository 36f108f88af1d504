import JSON

/// A numbered view event that wasn't handled in the end. A client that lost the answer asks again, and is told the same, in
/// another life of the session, too.
package struct UnhandledEvent: Sendable, Equatable, Codable {
    package enum Reason: Sendable, Equatable, Codable {
        case cancelled
        case superseded
        case failed(String)
        /// The event couldn't be read, as in `UndecodedEvent`.
        case undecoded(at: [String], String, kind: String?)
        /// The handler threw a `JSONCodingError`.
        case coding(at: [String], String)
        case session(SessionError)
    }

    /// The length beyond which a reason is cut, in bytes of UTF-8.
    package static let maximumReasonBytes = 1_024

    package let client: String
    package let number: Int
    package let reason: Reason

    package init(_ number: ClientNumber, _ reason: Reason) {
        (client, self.number, self.reason) = (number.client, number.number, reason)
    }
}

extension UnhandledEvent.Reason {
    /// Keeps an error as text. Runs code of the view model's, as an error describes itself: called with no lock held.
    init(_ error: any Error) {
        self =
            switch error {
            case let error as UndecodedEvent:
                .undecoded(at: error.error.path.steps, Self.cut(error.error.reason), kind: error.kind)
            case let error as JSONCodingError: .coding(at: error.path.steps, Self.cut(error.reason))
            case let error as SessionError: .session(error)
            default: .failed(Self.cut("\(error)"))
            }
    }

    private static func cut(_ text: String) -> String {
        guard text.utf8.count > UnhandledEvent.maximumReasonBytes else { return text }
        let end = text.utf8.index(text.utf8.startIndex, offsetBy: UnhandledEvent.maximumReasonBytes)
        // A slice of scalars never has part of one.
        return String(text.unicodeScalars[..<end]) + "…"
    }

    /// The approximate length of the texts, in bytes.
    var bytes: Int {
        switch self {
        case .cancelled, .superseded: 0
        case .failed(let reason): reason.utf8.count
        case .undecoded(let path, let reason, let kind):
            path.reduce(reason.utf8.count + (kind?.utf8.count ?? 0)) { $0 + $1.utf8.count }
        case .coding(let path, let reason): path.reduce(reason.utf8.count) { $0 + $1.utf8.count }
        case .session(let error): "\(error)".utf8.count
        }
    }

    var outcome: ViewEventJob.Outcome {
        switch self {
        case .cancelled: .cancelled
        case .superseded: .superseded
        case .failed(let reason): .failed(ToldError(description: reason))
        case .undecoded(let path, let reason, let kind):
            .failed(UndecodedEvent(Self.error(at: path, reason), kind: kind))
        case .coding(let path, let reason): .failed(Self.error(at: path, reason))
        case .session(let error): .failed(error)
        }
    }

    private static func error(at path: [String], _ reason: String) -> JSONCodingError {
        JSONCodingError(path: path.reduce(.root) { $0.appending($1) }, reason: reason)
    }
}

/// The newest of a session's numbered view events that weren't handled. Pure rules, used by the `ViewEventInbox`.
struct UnhandledEvents {
    static let maximumCount = 64
    /// The bound on names and reasons together, in bytes. With each event that is added, all those of a durable session are
    /// stored anew.
    static let maximumBytes = 16 << 10

    private(set) var events: [UnhandledEvent] = []
    /// Whether the events have changed since they were handed to the store.
    private(set) var isChanged = false

    init() {}

    init(stored: [UnhandledEvent]) {
        events = stored
    }

    func reason(of number: ClientNumber) -> UnhandledEvent.Reason? {
        events.last { $0.client == number.client && $0.number == number.number }?.reason
    }

    mutating func append(_ event: UnhandledEvent) {
        events.append(event)
        var bytes = events.reduce(0) { $0 + $1.client.utf8.count + $1.reason.bytes }
        while events.count > Self.maximumCount || bytes > Self.maximumBytes, let first = events.first {
            bytes -= first.client.utf8.count + first.reason.bytes
            events.removeFirst()
        }
        isChanged = true
    }

    /// Forgets the events of a client whose name is forgotten, as the client may count from 1 again.
    mutating func forget(_ client: String) {
        let count = events.count
        events.removeAll { $0.client == client }
        isChanged = isChanged || events.count != count
    }

    mutating func didHand() {
        isChanged = false
    }
}
