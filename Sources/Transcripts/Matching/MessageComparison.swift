import JSON
import JSONRPC
import Queues

/// Compares a message that came with the one that a transcript expects, by what they mean: the order of members and the
/// way in which numbers and strings are written don't count.
///
/// What it learns about keys and ids is kept apart until the message as a whole fits.
struct MessageComparison {
    /// Who sent the message that came.
    let sender: TranscriptSide
    let connection: Int
    let hasMatchers: Bool
    private var matchers: MatcherTable
    let known: Bindings
    var learnt = Bindings()
    /// Of the message that is being compared; in a batch, of its element.
    private(set) var shape = MessageShape.none

    init(sender: TranscriptSide, connection: Int, hasMatchers: Bool, matchers: MatcherTable, known: Bindings) {
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
        try compare(expected, actual, .message)
    }

    /// What is compared next is part of this message.
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
        // Each that was expected is there, so as many are as expected unless there are more.
        guard actual.all.count > counted else { return }
        for (offset, (name, _)) in actual.all.enumerated() where expected.place(of: name, hint: offset) == nil {
            if isHint(name, place) { continue }
            throw Difference("a member that isn't expected").inside(name)
        }
    }

    /// `more` says that another event follows at once, and so depends on how soon the thread of another client looks.
    private func isHint(_ name: JSONKey, _ place: MessagePlace) -> Bool {
        guard case .params = place, shape.kind == .notification, shape.session != nil else { return false }
        return name == "more"
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

    /// Answers in a batch may come in any order; what a client puts into one has its order.
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
