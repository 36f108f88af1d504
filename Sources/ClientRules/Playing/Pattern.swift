import JSON
import Transcripts

/// Compares values with patterns, which say what must be there and leave the rest open.
///
/// Members that a pattern has must be there; others may be. A null stands for an absent member, too. Arrays are as long
/// as their pattern's. In place of a value, a pattern may have
///
/// * `{"$match":…}`, as transcripts do,
/// * `{"$is":"NAME"}`, which is any value where this name comes first, and the same value wherever it comes again,
/// * `{"$new":"NAME"}`, which is any value but those that this name stood for before, for which it stands from here on.
struct Pattern {
    private var values: [String: JSONText] = [:]
    private var matchers = MatcherTable()

    /// Adopts the names' values where all of it matches.
    ///
    /// - Throws: `Difference`, the first one.
    mutating func compare(_ expected: JSONValue, with actual: JSONValue) throws(Difference) {
        let before = values
        do throws(Difference) {
            try visit(expected, actual)
        } catch {
            values = before
            throw error
        }
    }

    private mutating func visit(_ expected: JSONValue, _ actual: JSONValue) throws(Difference) {
        switch expected.kind {
        case .object:
            if try takesSpecial(expected, actual) { return }
            guard actual.kind == .object else { throw Difference(expected: expected, actual: actual) }
            try compareMembers(expected, actual)
        case .array:
            guard actual.kind == .array else { throw Difference(expected: expected, actual: actual) }
            try compareElements(expected, actual)
        default:
            guard Self.isSame(expected, actual) else { throw Difference(expected: expected, actual: actual) }
        }
    }

    /// Whether the pattern isn't a plain object, and takes the value.
    private mutating func takesSpecial(_ expected: JSONValue, _ actual: JSONValue) throws(Difference) -> Bool {
        if let name = expected.member("$is")?.string() {
            guard let value = values[name] else {
                values[name] = JSONText(actual)
                return true
            }
            guard value.withValue({ Self.isSame($0, actual) }) else {
                throw Difference(expected: "\(value), as before,", actual: actual)
            }
            return true
        }
        if let name = expected.member("$new")?.string() {
            if let value = values[name], value.withValue({ Self.isSame($0, actual) }) {
                throw Difference("expected another value than before, and \(value) came")
            }
            values[name] = JSONText(actual)
            return true
        }
        let matcher: Matcher?
        do throws(InvalidMatcher) {
            matcher = try matchers.matcher(expected)
        } catch {
            throw Difference(error.reason)
        }
        guard let matcher else { return false }
        guard matcher.accepts(actual) else { throw Difference(expected: matcher, actual: actual) }
        return true
    }

    private mutating func compareMembers(_ expected: JSONValue, _ actual: JSONValue) throws(Difference) {
        let members = ObjectMembers(actual)
        try expected.forEachMember { (name, value) throws(Difference) in
            let place = members.place(of: name, hint: 0)
            let found = place.map { members.all[$0].value }
            do throws(Difference) {
                guard let found, found.kind != .null else {
                    guard value.kind == .null else { throw Difference("the member is missing") }
                    return
                }
                try visit(value, found)
            } catch {
                throw error.inside(name)
            }
        }
    }

    private mutating func compareElements(_ expected: JSONValue, _ actual: JSONValue) throws(Difference) {
        let (expected, actual) = (expected.elements, actual.elements)
        for (offset, (expected, actual)) in zip(expected, actual).enumerated() {
            do throws(Difference) {
                try visit(expected, actual)
            } catch {
                throw error.inside(element: offset)
            }
        }
        guard expected.count == actual.count else {
            throw Difference(expectedCount: expected.count, actualCount: actual.count)
        }
    }

    /// What a value has of what a pattern speaks of: reports show that, and not what is left open.
    static func part(of actual: JSONValue, like expected: JSONValue) -> JSONText {
        JSONText { writer in write(actual, like: expected, into: &writer) }
    }

    private static func write(_ actual: JSONValue, like expected: JSONValue, into writer: inout JSONWriter) {
        let isSpecial =
            expected.member("$match") != nil || expected.member("$is") != nil || expected.member("$new") != nil
        switch (expected.kind, actual.kind) {
        case (.object, .object) where !isSpecial:
            let members = ObjectMembers(actual)
            writer.beginObject()
            expected.forEachMember { name, value in
                guard let place = members.place(of: name, hint: 0) else { return }
                writer.key(name.string())
                write(members.all[place].value, like: value, into: &writer)
            }
            writer.endObject()
        case (.array, .array):
            let patterns = expected.elements
            writer.beginArray()
            for (offset, element) in actual.elements.enumerated() {
                if offset < patterns.count {
                    write(element, like: patterns[offset], into: &writer)
                } else {
                    writer.compact(element)
                }
            }
            writer.endArray()
        default: writer.compact(actual)
        }
    }

    /// Whether both are the same value. Languages without integers write `1.0`; members may come in any order.
    static func isSame(_ left: JSONValue, _ right: JSONValue) -> Bool {
        guard left.kind == right.kind else { return false }
        switch left.kind {
        case .string: return left.isSameString(as: right)
        case .number:
            if left.text.elementsEqual(right.text) { return true }
            guard let integer = left.integer(as: Int64.self) else { return false }
            return integer == right.integer(as: Int64.self)
        case .array:
            let (left, right) = (left.elements, right.elements)
            return left.count == right.count && zip(left, right).allSatisfy { isSame($0, $1) }
        case .object:
            let (left, right) = (ObjectMembers(left), ObjectMembers(right))
            return left.all.count == right.all.count
                && left.all.allSatisfy { name, value in
                    right.place(of: name, hint: 0).map { isSame(value, right.all[$0].value) } ?? false
                }
        case .boolean, .null: return left.text.elementsEqual(right.text)
        }
    }
}
