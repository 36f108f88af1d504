import JSON
import JSONRPC

/// Notes which parts of a contract transcripts have seen.
package struct Coverage: Sendable {
    let contract: Contract
    private(set) var transcripts = 0
    private(set) var messages = 0
    private(set) var methods: Set<String> = []
    private(set) var notifications: Set<String> = []
    private(set) var errorCodes: Set<Int> = []
    /// By view model. Kinds that the contract doesn't have, too.
    private(set) var viewEvents: [String: Set<String>] = [:]
    private(set) var viewModelEvents: [String: Set<String>] = [:]

    package init(of contract: Contract) {
        self.contract = contract
    }

    /// Reads a transcript to its end.
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
            if let method = message.recorded("method")?.string(), contract.methods.contains(method) {
                methods.insert(method)
            }
            kinds.noteClient(message, on: entry.connection)
        case .server:
            if let method = message.recorded("method")?.string(), contract.notifications.contains(method) {
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
            // Nobody said whether there is such a kind.
            let known = contract.viewModels.first { $0.name == name }?.viewEvents ?? []
            viewEvents[name, default: []].formUnion(kinds.unanswered[view]?.intersection(known) ?? [])
        }
    }
}
