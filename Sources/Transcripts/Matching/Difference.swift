import JSON

/// The first place where what came isn't what was expected.
struct Difference: Error {
    private enum Step {
        case member(String)
        case element(Int)
    }

    /// How much of a value a sentence takes, and how much of that before the difference.
    private static let shownCharacters = 60
    private static let shownBefore = 20

    let reason: String
    /// From the inside out, as it is found.
    private var steps: [Step] = []

    init(_ reason: String) {
        self.reason = reason
    }

    /// - Parameter expected: as a sentence names it.
    init(expected: some CustomStringConvertible, actual: JSONValue) {
        self.init("expected \(expected) but \(Self.name(of: actual)) came")
    }

    init(expected: JSONValue, actual: JSONValue) {
        var start = 0
        if expected.kind == .string, actual.kind == .string {
            let common = zip(expected.text, actual.text).prefix { $0 == $1 }.count
            start = max(0, common - Self.shownBefore)
        }
        self.init("expected \(Self.name(of: expected, from: start)) but \(Self.name(of: actual, from: start)) came")
    }

    init(expectedCount: Int, actualCount: Int) {
        let verb = expectedCount == 1 ? "element was" : "elements were"
        self.init("\(expectedCount) \(verb) expected and \(actualCount) came")
    }

    var pointer: JSONPointer {
        steps.reversed().reduce(.root) { pointer, step in
            switch step {
            case .member(let name): pointer.appending(name)
            case .element(let index): pointer.appending(index)
            }
        }
    }

    func inside(_ member: JSONKey) -> Difference { inside(.member(member.string())) }

    func inside(element: Int) -> Difference { inside(.element(element)) }

    private func inside(_ step: Step) -> Difference {
        var outer = self
        outer.steps.append(step)
        return outer
    }

    /// As a sentence names it: a short value as it stands, of a long one a part.
    ///
    /// - Parameter start: the byte near which it differs.
    private static func name(of value: JSONValue, from start: Int = 0) -> String {
        guard value.kind != .object, value.kind != .array else { return value.kind.description }
        guard value.text.count > shownCharacters else { return String(decoding: value.text, as: UTF8.self) }
        // Not in the middle of a character.
        let tail = value.text.dropFirst(start).drop { $0 & 0xC0 == 0x80 }
        let text = String(decoding: tail.prefix(shownCharacters * 4), as: UTF8.self)
        return (start > 0 ? "…" : "") + (text.count > shownCharacters ? "\(text.prefix(shownCharacters))…" : text)
    }
}
