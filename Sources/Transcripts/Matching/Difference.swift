package import JSON

/// The first place in which a received message differs from the expected one.
package struct Difference: Error {
    private enum Step {
        case member(String)
        case element(Int)
    }

    /// The number of characters of a value that a sentence shows, and the number of bytes of it before the difference.
    private static let shownCharacters = 60
    private static let shownBefore = 20

    package let reason: String
    /// The steps to the place of the difference, from the innermost outwards.
    private var steps: [Step] = []

    package init(_ reason: String) {
        self.reason = reason
    }

    /// Makes a difference with a reason of the form "expected … but … came".
    ///
    /// - Parameter expected: its description is used as part of the sentence.
    package init(expected: some CustomStringConvertible, actual: JSONValue) {
        self.init("expected \(expected) but \(Self.name(of: actual)) came")
    }

    package init(expected: JSONValue, actual: JSONValue) {
        var start = 0
        if expected.kind == .string, actual.kind == .string {
            let common = zip(expected.text, actual.text).prefix { $0 == $1 }.count
            start = max(0, common - Self.shownBefore)
        }
        self.init("expected \(Self.name(of: expected, from: start)) but \(Self.name(of: actual, from: start)) came")
    }

    package init(expectedCount: Int, actualCount: Int) {
        let verb = expectedCount == 1 ? "element was" : "elements were"
        self.init("\(expectedCount) \(verb) expected and \(actualCount) came")
    }

    package var pointer: JSONPointer {
        steps.reversed().reduce(.root) { pointer, step in
            switch step {
            case .member(let name): pointer.appending(name)
            case .element(let index): pointer.appending(index)
            }
        }
    }

    package func inside(_ member: JSONKey) -> Difference { inside(.member(member.string())) }

    package func inside(element: Int) -> Difference { inside(.element(element)) }

    private func inside(_ step: Step) -> Difference {
        var outer = self
        outer.steps.append(step)
        return outer
    }

    /// Returns a value as part of a sentence: its text, or an excerpt if that is long.
    ///
    /// - Parameter start: the byte at which an excerpt begins.
    private static func name(of value: JSONValue, from start: Int = 0) -> String {
        guard value.kind != .object, value.kind != .array else { return value.kind.description }
        guard value.text.count > shownCharacters else { return String(decoding: value.text, as: UTF8.self) }
        // Don't begin in the middle of a character.
        let tail = value.text.dropFirst(start).drop { $0 & 0xC0 == 0x80 }
        let text = String(decoding: tail.prefix(shownCharacters * 4), as: UTF8.self)
        return (start > 0 ? "…" : "") + (text.count > shownCharacters ? "\(text.prefix(shownCharacters))…" : text)
    }
}
