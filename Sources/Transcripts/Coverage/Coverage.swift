import JSON
package import JSONRPC

/// Everything that clients can send to a server and that the server can send: the goals of coverage.
package struct CoverageGoals: Sendable {
    package struct ViewModel: Sendable {
        package var name: String
        /// The kinds of the view model's view events; nil if unknown.
        package var viewEvents: [String]?
        /// The kinds of the view model's view model events; nil if unknown.
        package var viewModelEvents: [String]?

        package init(name: String, viewEvents: [String]?, viewModelEvents: [String]?) {
            self.name = name
            self.viewEvents = viewEvents
            self.viewModelEvents = viewModelEvents
        }
    }

    /// The methods of the requests and notifications that clients can send.
    package var methods: [String]
    /// The methods of the notifications that the server can send.
    package var notifications: [String]
    package var errorCodes: [ErrorCode]
    package var viewModels: [ViewModel]

    package init(methods: [String], notifications: [String], errorCodes: [ErrorCode], viewModels: [ViewModel]) {
        self.methods = methods
        self.notifications = notifications
        self.errorCodes = errorCodes
        self.viewModels = viewModels
    }
}

/// Counts the coverage goals that occur in transcripts.
package struct Coverage: Sendable {
    let goals: CoverageGoals
    private(set) var transcripts = 0
    private(set) var messages = 0
    private(set) var methods: Set<String> = []
    private(set) var notifications: Set<String> = []
    private(set) var errorCodes: Set<Int> = []
    /// The kinds of view events by view model, including kinds that aren't among the goals.
    private(set) var viewEvents: [String: Set<String>] = [:]
    private(set) var viewModelEvents: [String: Set<String>] = [:]

    package init(of goals: CoverageGoals) {
        self.goals = goals
    }

    /// Reads a transcript to its end, and adds what occurs in it.
    ///
    /// - Throws: `TranscriptError` if a line is invalid.
    package mutating func read(_ reader: TranscriptReader) throws(TranscriptError) {
        transcripts += 1
        var kinds = SeenKinds()
        while let entry = try reader.next() {
            guard case .message(let message) = entry.content else { continue }
            messages += 1
            message.withValue { value in
                guard value.kind == .array else { return note(value, entry, &kinds) }
                value.forEachElement { note($0, entry, &kinds) }
            }
        }
        add(kinds)
    }

    private mutating func note(_ message: JSONValue, _ entry: TranscriptEntry, _ kinds: inout SeenKinds) {
        switch entry.from {
        case .client:
            if let method = message.recorded("method")?.string(), goals.methods.contains(method) {
                methods.insert(method)
            }
            kinds.noteClient(message, on: entry.connection)
        case .server:
            if let method = message.recorded("method")?.string(), goals.notifications.contains(method) {
                notifications.insert(method)
            }
            if let code = message.member("error")?.recorded("code")?.integer(as: Int.self) { errorCodes.insert(code) }
            kinds.noteServer(message, on: entry.connection)
        }
    }

    private mutating func add(_ kinds: SeenKinds) {
        for (view, name) in kinds.viewModels {
            viewEvents[name, default: []].formUnion(kinds.taken[view] ?? [])
            viewModelEvents[name, default: []].formUnion(kinds.sent[view] ?? [])
            // No answer shows whether a notification was accepted, so unknown kinds don't count.
            let known = goals.viewModels.first { $0.name == name }?.viewEvents ?? []
            viewEvents[name, default: []].formUnion(kinds.unanswered[view]?.intersection(known) ?? [])
        }
    }
}
