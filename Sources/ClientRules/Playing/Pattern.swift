import JSON
import Transcripts

/// Compares values with patterns, which tell what must be there and leave the rest open.
///
/// The members of a pattern must be in the value, which may have others. A null in a pattern means that the member is null or
/// missing. Arrays must be as long as the pattern's. In place of a value, a pattern may have
///
/// * `{"$match":…}`, as in transcripts,
/// * `{"$is":"NAME"}`: any value where the name first occurs, and the same value wherever it occurs again,
/// * `{"$new":"NAME"}`: any value except the one that the name stood for so far; from here on the name stands for this one.
struct Pattern {
    private(set) var values: [String: JSONText] = [:]
    private var matchers = MatcherTable()

    /// Compares a value with a pattern, and adopts the values of names if they match as a whole.
    ///
    /// - Throws: the first `Difference`.
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

    /// Whether the pattern is a matcher or a name, and accepts the value. Returns false for a plain object; throws if the value
    /// isn't accepted.
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

    /// Checks that a value is a valid pattern.
    ///
    /// - Throws: the reason why it isn't.
    static func check(_ pattern: JSONValue) throws(InvalidMatcher) {
        var matchers = MatcherTable()
        try check(pattern, &matchers)
    }

    private static func check(_ pattern: JSONValue, _ matchers: inout MatcherTable) throws(InvalidMatcher) {
        switch pattern.kind {
        case .array: for element in pattern.elements { try check(element, &matchers) }
        case .object:
            if try matchers.matcher(pattern) != nil { return }
            try pattern.forEachMember { (name, value) throws(InvalidMatcher) in
                let name = name.string()
                guard name.hasPrefix("$") else { return try check(value, &matchers) }
                guard ["$is", "$new"].contains(name), value.kind == .string else {
                    throw InvalidMatcher(
                        reason: #"\#(JSONText(pattern)) is none of {"$match":…}, {"$is":"NAME"} and {"$new":"NAME"}"#)
                }
            }
        default: break
        }
    }

    static func isSpecial(_ value: JSONValue) -> Bool {
        value.member("$match") != nil || value.member("$is") != nil || value.member("$new") != nil
    }

    /// Whether both are the same value. An integer may be written as `1.0`, as in languages without integers; members may come
    /// in any order.
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
