import JSON
import JSONRPC
import Queues

/// A comparison of a received message with the one that a transcript expects. Messages are compared by meaning: the order of
/// members, and the way in which numbers and strings are written, don't matter.
///
/// Bindings of new keys and ids are collected in `learnt`. The caller adopts them if the message matches as a whole.
struct MessageComparison {
    /// The side that sent the received message.
    let sender: TranscriptSide
    let connection: Int
    let hasMatchers: Bool
    /// Whether the answer to `initialize` may come from a server with another name, version, limits and view models.
    let takesAnyServer: Bool
    private var matchers: MatcherTable
    let known: Bindings
    var learnt = Bindings()
    /// The shape of the message, or of the batch's element, that is being compared.
    private(set) var shape = MessageShape.none

    init(
        sender: TranscriptSide, connection: Int, hasMatchers: Bool, takesAnyServer: Bool = false,
        matchers: MatcherTable, known: Bindings
    ) {
        self.takesAnyServer = takesAnyServer
        self.sender = sender
        self.connection = connection
        self.hasMatchers = hasMatchers
        self.matchers = matchers
        self.known = known
    }

    mutating func compare(_ expected: JSONText, _ actual: JSONText) throws(Difference) {
        try expected.withValue { (expected) throws(Difference) in
            try actual.withValue { (actual) throws(Difference) in
                if expected.kind == .array, actual.kind == .array {
                    try compareBatches(expected, actual)
                } else {
                    try compareMessages(expected, actual)
                }
            }
        }
    }

    private mutating func compareMessages(_ expected: JSONValue, _ actual: JSONValue) throws(Difference) {
        begin(expected)
        let came = MessageShape(actual)
        if came.kind != shape.kind, let expectedWords = shape.words, let words = came.words {
            throw Difference("expected \(expectedWords) but \(words) came")
        }
        try compare(expected, actual, .message)
    }

    /// Begins the comparison of a message, of which the values compared next are parts.
    mutating func begin(_ message: JSONValue) {
        shape = MessageShape(message)
    }

    mutating func compare(_ expected: JSONValue, _ actual: JSONValue, _ place: MessagePlace) throws(Difference) {
        if hasMatchers, let matcher = try? matchers.matcher(expected) {
            guard matcher.accepts(actual) else { throw Difference(expected: matcher, actual: actual) }
            return
        }
        if try compareSpecial(expected, actual, place) { return }
        guard expected.kind == actual.kind else { throw Difference(expected: expected, actual: actual) }
        switch expected.kind {
        case .object: try compareObjects(expected, actual, place)
        case .array: try compareArrays(expected, actual, place)
        case .string: try compareStrings(expected, actual, place)
        case .number:
            guard expected.isSameNumber(as: actual) else { throw Difference(expected: expected, actual: actual) }
        case .boolean, .null:
            guard expected.boolean() == actual.boolean() else { throw Difference(expected: expected, actual: actual) }
        }
    }

    private mutating func compareObjects(
        _ expected: JSONValue, _ actual: JSONValue, _ place: MessagePlace
    ) throws(Difference) {
        let (expected, actual) = (ObjectMembers(expected), ObjectMembers(actual))
        var counted = 0
        for (offset, (name, value)) in expected.all.enumerated() {
            guard expected.place(of: name, hint: offset) == offset else { continue }
            guard let found = actual.place(of: name, hint: offset) else {
                if isHint(name, place) { continue }
                throw Difference("the member is missing").inside(name)
            }
            counted += 1
            do throws(Difference) {
                try compare(value, actual.all[found].value, place.member(name))
            } catch {
                throw error.inside(name)
            }
        }
        // All expected members were found, so there are unexpected ones only if there are more members.
        guard actual.all.count > counted else { return }
        for (offset, (name, _)) in actual.all.enumerated() where expected.place(of: name, hint: offset) == nil {
            if isHint(name, place) { continue }
            throw Difference("a member that isn't expected").inside(name)
        }
    }

    /// Whether a message may have the member while the other one lacks it. `more` announces that another event follows at once,
    /// which depends on timing. `once` only matters if the request is sent again. Older clients send no `epoch`, and older
    /// servers no `epoch`, `children` or `type`.
    private func isHint(_ name: JSONKey, _ place: MessagePlace) -> Bool {
        switch (place, shape.kind) {
        case (.params, .notification): shape.session != nil && name == "more"
        case (.params, .request): sender == .client && (name == "once" || name == "epoch")
        case (.result, .answer): sender == .server && name == "epoch"
        case (.capabilities, _): sender == .server && name == "children"
        case (.hosted, _): sender == .server && name == "type"
        default: false
        }
    }

    private mutating func compareArrays(
        _ expected: JSONValue, _ actual: JSONValue, _ place: MessagePlace
    ) throws(Difference) {
        let (expected, actual) = (expected.elements, actual.elements)
        for (offset, (expected, actual)) in zip(expected, actual).enumerated() {
            do throws(Difference) {
                try compare(expected, actual, place.element)
            } catch {
                throw error.inside(element: offset)
            }
        }
        guard expected.count == actual.count else {
            throw Difference(expectedCount: expected.count, actualCount: actual.count)
        }
    }

    /// Compares two batches. A server's answers may be in any order; a client's messages must be in the expected one.
    private mutating func compareBatches(_ expected: JSONValue, _ actual: JSONValue) throws(Difference) {
        let (expected, actual) = (expected.elements, actual.elements)
        var places: [RequestID?: Deque<Int>] = [:]
        for (offset, element) in actual.enumerated() where sender == .server {
            places[MessageShape(element).id, default: Deque()].append(offset)
        }
        for (offset, element) in expected.enumerated() {
            let id = MessageShape(element).id
            let place = sender == .server ? places[id]?.popFirst() : offset
            do throws(Difference) {
                guard let place, place < actual.count else {
                    throw Difference("nothing came for this element of the batch")
                }
                try compareMessages(element, actual[place])
            } catch {
                throw error.inside(element: offset)
            }
        }
        guard expected.count == actual.count else {
            throw Difference(expectedCount: expected.count, actualCount: actual.count)
        }
    }
}

// Values that differ in each play: keys, ids, process ids, tokens, and what a client makes at random.
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

    /// Compares two values by a rule for their place. Returns false if no rule applies, so that they must be compared as usual.
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
        case .server where takesAnyServer && sender == .server:
            return expected.kind == actual.kind
        case .once where sender == .client && shape.kind == .request:
            return expected.kind == .string && actual.kind == .string
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
            // The request has no answer yet: this message cancels it, or uses its id a second time.
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
