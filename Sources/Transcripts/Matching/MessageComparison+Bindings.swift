import JSON
import JSONRPC

/// One value stands for another where each play has its own: keys, ids, processes and tokens.
extension MessageComparison {
    mutating func compareStrings(
        _ expected: JSONValue, _ actual: JSONValue, _ place: MessagePlace
    ) throws(Difference) {
        let isSame = expected.isSameString(as: actual)
        guard sender == .server, place != .name, place == .key || !known.keys.isIdentity || !learnt.keys.isIdentity
        else {
            guard isSame else { throw Difference(expected: expected, actual: actual) }
            return
        }
        guard let name = expected.string().map(ScalarString.init), let came = actual.string().map(ScalarString.init)
        else { return }
        if let bound = known.keys.actual(for: name) ?? learnt.keys.actual(for: name) {
            if came == bound || (place == .payload && isSame) { return }
            let note = bound == name ? "" : ", which is \"\(bound.string)\" here,"
            throw Difference(expected: String(decoding: expected.text, as: UTF8.self) + note, actual: actual)
        }
        if place == .key {
            try bind(name, came, actual)
        } else if !isSame {
            throw Difference(expected: expected, actual: actual)
        }
    }

    private mutating func bind(
        _ name: ScalarString, _ came: ScalarString, _ actual: JSONValue
    ) throws(Difference) {
        if let other = known.keys.expected(for: came) ?? learnt.keys.expected(for: came) {
            throw Difference("expected a key of its own but the one came that is \"\(other.string)\" in the transcript")
        }
        learnt.keys.bind(name, to: came)
    }

    /// True when the place has a rule of its own, and the values satisfy it.
    mutating func compareSpecial(
        _ expected: JSONValue, _ actual: JSONValue, _ place: MessagePlace
    ) throws(Difference) -> Bool {
        switch place {
        case .id where shape.kind == .request:
            return try compareRequestIDs(expected, actual)
        case .call where shape.kind == .notification && shape.session == nil:
            guard let id = RequestID(expected) else { return false }
            let bound = known.ids.actual(for: id, on: connection)
            guard bound != id else { return false }
            guard RequestID(actual) == bound else {
                throw Difference(expected: "\(id), which is \(bound) here,", actual: actual)
            }
            return true
        case .processID where sender == .client && shape.kind == .request:
            return expected.isProcessID && actual.isProcessID
        case .token where sender == .client && shape.kind == .request:
            return expected.isString(TranscriptEntry.redacted) && actual.kind == .string
        default:
            return false
        }
    }

    private mutating func compareRequestIDs(_ expected: JSONValue, _ actual: JSONValue) throws(Difference) -> Bool {
        guard let id = RequestID(expected), let came = RequestID(actual) else { return false }
        let bound = known.ids.open(id, on: connection) ?? learnt.ids.open(id, on: connection)
        if let bound {
            // The id of a request that waits: one that is given up, or used twice.
            guard came == bound else { throw Difference(expected: "the id \(bound)", actual: actual) }
        } else if (known.ids.expected(forOpen: came, on: connection)
            ?? learnt.ids.expected(forOpen: came, on: connection)) != nil
        {
            throw Difference("the id \(came) is that of a request that isn't answered yet")
        } else {
            learnt.ids.bind(id, to: came, on: connection)
        }
        return true
    }
}
