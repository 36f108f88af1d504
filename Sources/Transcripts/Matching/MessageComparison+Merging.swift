import JSON
import JSONRPC

/// What a merge asks: which words the transcript has for what came.
extension MessageComparison {
    /// Whether what the transcript has says what came, as far as one value can.
    mutating func isKept(_ expected: JSONValue, for actual: JSONValue, _ place: MessagePlace) -> Bool {
        let isWhole = hasMatchers && expected.member("$match") != nil
        guard isWhole || (expected.kind != .object && expected.kind != .array) else { return false }
        do throws(Difference) {
            try compare(expected, actual, place)
            return true
        } catch {
            return false
        }
    }

    /// What the transcript calls a string that came; nil when that has no other name. A key without a name is its own.
    mutating func name(of actual: JSONValue, _ place: MessagePlace) -> String? {
        guard sender == .server, let came = actual.string().map(ScalarString.init) else { return nil }
        if let name = known.keys.expected(for: came) ?? learnt.keys.expected(for: came) { return name.string }
        if place == .key { learnt.keys.bind(came, to: came) }
        return nil
    }

    /// What the transcript calls the request that a notification is about; nil when that has no other name.
    func name(ofCall actual: JSONValue) -> RequestID? {
        guard shape.kind == .notification, shape.session == nil, let came = RequestID(actual) else { return nil }
        return known.ids.expected(forOpen: came, on: connection)
    }

    /// A request's id that the transcript doesn't have is its own.
    mutating func keepID(_ actual: JSONValue) {
        guard shape.kind == .request, let id = RequestID(actual), known.ids.open(id, on: connection) == nil else {
            return
        }
        learnt.ids.bind(id, to: id, on: connection)
    }
}
