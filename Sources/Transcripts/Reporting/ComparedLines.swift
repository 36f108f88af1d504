import JSON

/// A line of the expected message beside a line of the received one.
struct ComparedLine {
    /// The expected message's line; nil if there is none beside `actual`.
    var expected: String?
    /// The received message's line; nil if there is none beside `expected`.
    var actual: String?
    var differs: Bool
}

/// Two messages laid out in lines, side by side: members beside members of the same name, elements beside elements.
///
/// Values that a matcher accepts, and keys, which are new in each play, don't count as different.
struct ComparedLines {
    /// The size in bytes up to which an object or array without differences takes one line.
    private static let shortBytes = 60

    private(set) var lines: [ComparedLine] = []
    private let matchers = MatcherTable()
    private let hasNewKeys: Bool

    /// Lays out two messages.
    ///
    /// - Parameters:
    ///   - expected: the expected message as text, JSON or not; nil if nothing was expected.
    ///   - actual: the received message as text, JSON or not; nil if nothing came.
    ///   - hasNewKeys: whether keys may differ; false if a key is the difference to show.
    init(expected: String?, actual: String?, hasNewKeys: Bool) {
        self.hasNewKeys = hasNewKeys
        let expectedJSON = expected.flatMap(Self.json)
        let actualJSON = actual.flatMap(Self.json)
        guard (expected == nil) == (expectedJSON == nil), (actual == nil) == (actualJSON == nil) else {
            addTexts(expected ?? "", actual ?? "")
            return
        }
        Self.lend(expectedJSON) { expected in
            Self.lend(actualJSON) { actual in
                add(expected.map { Item(value: $0) }, actual.map { Item(value: $0) }, .message, indentation: "")
            }
        }
    }

    private static func json(_ text: String) -> JSONText? {
        var text = text
        return text.withUTF8 { try? JSONText(validating: UnsafeRawBufferPointer($0)) }
    }

    private static func lend(_ text: JSONText?, _ body: (JSONValue?) -> Void) {
        guard let text else { return body(nil) }
        text.withValue { body($0) }
    }

    private mutating func addTexts(_ expected: String, _ actual: String) {
        let expected = expected.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        let actual = actual.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        for offset in 0..<max(expected.count, actual.count) {
            let left = offset < expected.count ? expected[offset] : nil
            let right = offset < actual.count ? actual[offset] : nil
            lines.append(ComparedLine(expected: left, actual: right, differs: left != right))
        }
    }

    /// A value, with the text around it.
    private struct Item {
        /// The member's name and a colon; empty for an element.
        var label = ""
        var value: JSONValue
        /// A comma if another item follows, otherwise empty.
        var comma = ""

        var isContainer: Bool { value.kind == .object || value.kind == .array }
        var text: String { String(decoding: value.text, as: UTF8.self) }
        var isEmpty: Bool { value.text.count <= 2 }
    }

    private mutating func add(_ expected: Item?, _ actual: Item?, _ place: MessagePlace, indentation: String) {
        guard let expected, let actual else {
            addAlone(expected, actual, indentation: indentation)
            return
        }
        let isSame = isSame(expected.value, actual.value, place)
        let longest = max(expected.value.text.count, actual.value.text.count)
        let isShort = isSame && longest <= Self.shortBytes
        if expected.value.kind == actual.value.kind, expected.isContainer, !isShort, !isMatcher(expected.value) {
            addContainers(expected, actual, place, indentation: indentation)
        } else {
            addWhole(expected, actual, differs: !isSame, indentation: indentation)
        }
    }

    private mutating func addWhole(_ expected: Item, _ actual: Item, differs: Bool, indentation: String) {
        let left = Self.lines(expected, indentation: indentation)
        let right = Self.lines(actual, indentation: indentation)
        for offset in 0..<max(left.count, right.count) {
            lines.append(
                ComparedLine(
                    expected: offset < left.count ? left[offset] : nil,
                    actual: offset < right.count ? right[offset] : nil, differs: differs))
        }
    }

    private mutating func addAlone(_ expected: Item?, _ actual: Item?, indentation: String) {
        for line in expected.map({ Self.lines($0, indentation: indentation) }) ?? [] {
            lines.append(ComparedLine(expected: line, actual: nil, differs: true))
        }
        for line in actual.map({ Self.lines($0, indentation: indentation) }) ?? [] {
            lines.append(ComparedLine(expected: nil, actual: line, differs: true))
        }
    }

    private mutating func addContainers(
        _ expected: Item, _ actual: Item, _ place: MessagePlace, indentation: String
    ) {
        let isObject = expected.value.kind == .object
        let (open, close) = isObject ? ("{", "}") : ("[", "]")
        addBoth(indentation + expected.label + open, indentation + actual.label + open)
        if isObject {
            addMembers(expected.value, actual.value, place, indentation: indentation + "  ")
        } else {
            addElements(expected.value, actual.value, place, indentation: indentation + "  ")
        }
        addBoth(indentation + close + expected.comma, indentation + close + actual.comma)
    }

    private mutating func addBoth(_ expected: String, _ actual: String) {
        lines.append(ComparedLine(expected: expected, actual: actual, differs: false))
    }

    private mutating func addMembers(
        _ expected: JSONValue, _ actual: JSONValue, _ place: MessagePlace, indentation: String
    ) {
        let (expected, actual) = (ObjectMembers(expected), ObjectMembers(actual))
        for (offset, (name, _)) in expected.all.enumerated() {
            guard expected.place(of: name, hint: offset) == offset else { continue }
            let found = actual.place(of: name, hint: offset).map { Self.item(actual, at: $0) }
            add(Self.item(expected, at: offset), found, place.member(name), indentation: indentation)
        }
        for (offset, (name, _)) in actual.all.enumerated() {
            guard expected.place(of: name, hint: offset) == nil, actual.place(of: name, hint: offset) == offset
            else { continue }
            add(nil, Self.item(actual, at: offset), place.member(name), indentation: indentation)
        }
    }

    /// Adds the elements of two arrays. If their counts differ, equal elements at the beginning and at the end are still placed
    /// side by side.
    private mutating func addElements(
        _ expected: JSONValue, _ actual: JSONValue, _ place: MessagePlace, indentation: String
    ) {
        let (expected, actual) = (Self.items(expected), Self.items(actual))
        let shorter = min(expected.count, actual.count)
        var start = shorter
        if expected.count != actual.count {
            start = zip(expected, actual).prefix { isSame($0.value, $1.value, place.element) }.count
        }
        let end = zip(expected[start...].reversed(), actual[start...].reversed())
            .prefix { isSame($0.value, $1.value, place.element) }.count
        let middle = max(expected.count, actual.count) - end
        for offset in 0..<middle {
            let left = offset < expected.count - end ? expected[offset] : nil
            let right = offset < actual.count - end ? actual[offset] : nil
            add(left, right, place.element, indentation: indentation)
        }
        for (left, right) in zip(expected.suffix(end), actual.suffix(end)) {
            add(left, right, place.element, indentation: indentation)
        }
    }

    private func isMatcher(_ value: JSONValue) -> Bool { value.member("$match") != nil }

    private func isSame(_ expected: JSONValue, _ actual: JSONValue, _ place: MessagePlace) -> Bool {
        // The comparison knows no keys, as if this were the first message of a play, so each key may be new.
        var comparison = MessageComparison(
            sender: hasNewKeys ? .server : .client, connection: 1, hasMatchers: true, matchers: matchers,
            known: Bindings())
        do throws(Difference) {
            try comparison.compare(expected, actual, place)
            return true
        } catch {
            return false
        }
    }

    private static func item(_ object: ObjectMembers, at place: Int) -> Item {
        let (name, value) = object.all[place]
        let label = JSONText { $0.string(name.string()) }.description + ": "
        return Item(label: label, value: value, comma: place == object.all.count - 1 ? "" : ",")
    }

    private static func items(_ array: JSONValue) -> [Item] {
        let elements = array.elements
        return elements.enumerated().map { Item(value: $1, comma: $0 == elements.count - 1 ? "" : ",") }
    }

    private static func lines(_ item: Item, indentation: String) -> [String] {
        guard item.isContainer, !item.isEmpty, item.value.text.count > shortBytes else {
            return [indentation + item.label + item.text + item.comma]
        }
        let isObject = item.value.kind == .object
        var lines = [indentation + item.label + (isObject ? "{" : "[")]
        let parts: [Item]
        if isObject {
            let members = ObjectMembers(item.value)
            parts = members.all.indices.map { Self.item(members, at: $0) }
        } else {
            parts = items(item.value)
        }
        for part in parts { lines += Self.lines(part, indentation: indentation + "  ") }
        return lines + [indentation + (isObject ? "}" : "]") + item.comma]
    }
}
