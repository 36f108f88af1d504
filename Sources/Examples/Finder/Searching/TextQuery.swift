/// What a user looks for in files.
package struct TextQuery: Sendable, Hashable {
    /// It can't be looked for.
    package struct Invalid: Error, Equatable, CustomStringConvertible {
        /// Why, for the user.
        package let description: String
    }

    /// In bytes.
    static let maximumCount = 1000

    /// What is looked for in each line.
    package let text: String
    /// Whether it is an extended regular expression of POSIX, without references to groups such as `\1`.
    package let isRegularExpression: Bool
    /// Whether letters match their other case, by the rules of the C library.
    package let ignoresCase: Bool

    /// - Throws: `Invalid` for an empty text, for one that is longer than 1,000 bytes, has a line break in it, or is a
    ///   regular expression that isn't well-formed or would take too much memory.
    package init(_ text: String, isRegularExpression: Bool = false, ignoresCase: Bool = false) throws(Invalid) {
        self.text = text
        self.isRegularExpression = isRegularExpression
        self.ignoresCase = ignoresCase
        guard !text.isEmpty else { throw Invalid(description: "there is nothing to look for") }
        guard text.utf8.count <= Self.maximumCount else {
            throw Invalid(description: "the text is longer than \(Self.maximumCount) bytes")
        }
        guard text.utf8.allSatisfy({ $0 != UInt8(ascii: "\n") && $0 != 0 }) else {
            throw Invalid(description: "a line has neither line breaks nor NUL characters")
        }
        if isRegularExpression { try RegularExpressionShape.check(text) }
        // Compiled for its error alone: each task has one of its own.
        if usesRegularExpression { _ = try RegularExpression(expression, ignoresCase: ignoresCase) }
    }

    /// Also for texts with letters whose other case only the C library knows.
    var usesRegularExpression: Bool {
        isRegularExpression || ignoresCase && text.utf8.contains { $0 >= 0x80 }
    }

    /// The regular expression that finds it.
    var expression: String {
        if isRegularExpression { return text }
        return text.map { ".[]{}()*+?^$|\\".contains($0) ? "\\\($0)" : "\($0)" }.joined()
    }

    /// Texts of which every match has one, and that are faster to find; empty where none are known.
    var requiredTexts: [String] {
        guard usesRegularExpression else { return [text] }
        guard isRegularExpression else { return [] }
        let texts = RegularExpressionShape.requiredTexts(text)
        return ignoresCase && texts.contains { $0.utf8.contains { $0 >= 0x80 } } ? [] : texts
    }
}

/// What can be said of a regular expression without compiling it.
enum RegularExpressionShape {
    /// In characters, with those that are repeated counted as often: about the nodes that the C library makes of it.
    private static let maximumSize = 1000

    /// - Throws: `TextQuery.Invalid` where the C library would take too much time or memory. It bounds neither.
    static func check(_ text: String) throws(TextQuery.Invalid) {
        // Of the open groups, how large they and their last parts are.
        var groups = [(size: 0, last: 0)]
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            var size = 1
            switch byte {
            case UInt8(ascii: "\\"):
                if let escaped = rest.popFirst(), (UInt8(ascii: "1")...UInt8(ascii: "9")).contains(escaped) {
                    throw TextQuery.Invalid(description: "references to groups, such as \\1, are not supported")
                }
            case UInt8(ascii: "["): dropBrackets(from: &rest)
            case UInt8(ascii: "("):
                groups.append((0, 0))
                continue
            case UInt8(ascii: "*"), UInt8(ascii: "?"):
                // What is repeated stays the last part: a `{…}` behind it repeats all of that.
                guard grow(&groups, by: 1) else { throw tooLarge }
                groups[groups.count - 1].last += 1
                continue
            case UInt8(ascii: ")") where groups.count > 1: size = groups.removeLast().size + 1
            case UInt8(ascii: "+"), UInt8(ascii: "{"):
                let factor = byte == UInt8(ascii: "+") ? 2 : repetitions(from: &rest)
                size = groups[groups.count - 1].last * (factor - 1)
                guard grow(&groups, by: size) else { throw tooLarge }
                groups[groups.count - 1].last += size
                continue
            default: break
            }
            guard grow(&groups, by: size) else { throw tooLarge }
            groups[groups.count - 1].last = size
        }
    }

    /// The expression with each bracket that closes nothing, and so is a character, written as one: it can be put in
    /// brackets.
    static func escapingUnmatched(_ text: String) -> String {
        var escaped: [UInt8] = []
        var (open, rest) = (0, Array(text.utf8)[...])
        while let byte = rest.popFirst() {
            let before = rest
            switch byte {
            case UInt8(ascii: "\\"): _ = rest.popFirst()
            case UInt8(ascii: "["): dropBrackets(from: &rest)
            case UInt8(ascii: "("): open += 1
            case UInt8(ascii: ")") where open > 0: open -= 1
            case UInt8(ascii: ")"): escaped.append(UInt8(ascii: "\\"))
            default: break
            }
            escaped.append(byte)
            escaped += before.prefix(before.count - rest.count)
        }
        return String(decoding: escaped, as: UTF8.self)
    }

    private static let tooLarge = TextQuery.Invalid(description: "the expression repeats too much")

    /// False where it becomes too large.
    private static func grow(_ groups: inout [(size: Int, last: Int)], by size: Int) -> Bool {
        groups[groups.count - 1].size += size
        return groups[groups.count - 1].size <= maximumSize
    }

    /// What a `{…}` repeats at most, or 1 where the bracket is just a character.
    private static func repetitions(from rest: inout ArraySlice<UInt8>) -> Int {
        guard let numbers = interval(from: &rest) else { return 1 }
        return numbers.split(separator: UInt8(ascii: ",")).reduce(2) { most, digits in
            max(most, Int(String(decoding: digits, as: UTF8.self)).map { min($0, maximumSize + 1) } ?? maximumSize + 1)
        }
    }

    /// What is in a `{…}`; nil, with nothing taken, of one that has no numbers in it.
    private static func interval(from rest: inout ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        let numbers = rest.prefix { "0123456789,".utf8.contains($0) }
        guard !numbers.isEmpty, rest.dropFirst(numbers.count).first == UInt8(ascii: "}") else { return nil }
        rest = rest.dropFirst(numbers.count + 1)
        return numbers
    }

    private static func dropBrackets(from rest: inout ArraySlice<UInt8>) {
        if rest.first == UInt8(ascii: "^") { rest.removeFirst() }
        if rest.first == UInt8(ascii: "]") { rest.removeFirst() }
        while let byte = rest.popFirst(), byte != UInt8(ascii: "]") {
            // A class such as `[:alpha:]` has brackets of its own.
            guard byte == UInt8(ascii: "["), let kind = rest.first, ":.=".utf8.contains(kind) else { continue }
            rest.removeFirst()
            while let next = rest.popFirst(), !(next == kind && rest.first == UInt8(ascii: "]")) {}
            rest = rest.dropFirst()
        }
    }
}

/// The texts that a regular expression can't match without.
extension RegularExpressionShape {
    /// More are slower to find than the expression itself.
    private static let maximumTexts = 8

    /// Texts of which each match has at least one: of those that are known the longest ones. Empty where none are.
    static func requiredTexts(_ text: String) -> [String] {
        var rest = Array(text.utf8)[...]
        let texts = requiredOfChoice(in: &rest)
        // What follows a bracket that closes nothing would have to be read, too.
        guard rest.isEmpty else { return [] }
        let valid = texts.compactMap { String(validating: $0, as: UTF8.self) }
        return valid.count == texts.count ? valid : []
    }

    /// What a match of one of these alternatives must have, up to the bracket behind them.
    private static func requiredOfChoice(in rest: inout ArraySlice<UInt8>) -> [[UInt8]] {
        var alternatives = [requiredOfSequence(in: &rest)]
        while rest.first == UInt8(ascii: "|") {
            rest.removeFirst()
            alternatives.append(requiredOfSequence(in: &rest))
        }
        // What matches an alternative without a text may have none of the others'.
        guard !alternatives.contains([]), alternatives.joined().count <= maximumTexts else { return [] }
        return Array(alternatives.joined())
    }

    /// What a match of this alternative must have, up to its end.
    private static func requiredOfSequence(in rest: inout ArraySlice<UInt8>) -> [[UInt8]] {
        var (best, run) = ([[UInt8]](), [UInt8]())
        func take(_ texts: [[UInt8]]) {
            if shortest(texts) > shortest(best) { best = texts }
        }
        func endRun() {
            take([run])
            run = []
        }
        while let byte = rest.first, byte != UInt8(ascii: "|"), byte != UInt8(ascii: ")") {
            rest.removeFirst()
            var character: [UInt8] = []
            var group: [[UInt8]] = []
            switch byte {
            case UInt8(ascii: "("):
                group = requiredOfChoice(in: &rest)
                rest = rest.dropFirst()
            case UInt8(ascii: "["): dropBrackets(from: &rest)
            case UInt8(ascii: "."), UInt8(ascii: "^"), UInt8(ascii: "$"): break
            case UInt8(ascii: "\\"):
                if let escaped = rest.popFirst(), ".[]{}()*+?^$|\\/-".utf8.contains(escaped) { character = [escaped] }
            default:
                character = [byte] + rest.prefix { $0 & 0xC0 == 0x80 }
                rest = rest.dropFirst(character.count - 1)
            }
            let repetition = repetition(from: &rest)
            if character.isEmpty || repetition.mayBeNone { endRun() } else { run += character }
            if !repetition.mayBeNone { take(group) }
            if repetition.mayBeMore { endRun() }
        }
        endRun()
        return best
    }

    private static func shortest(_ texts: [[UInt8]]) -> Int { texts.map(\.count).min() ?? 0 }

    /// What is said of the part before: that it may be missing, or come several times.
    private static func repetition(from rest: inout ArraySlice<UInt8>) -> (mayBeNone: Bool, mayBeMore: Bool) {
        var (mayBeNone, mayBeMore) = (false, false)
        while let byte = rest.first, "*?{+".utf8.contains(byte) {
            rest.removeFirst()
            if byte == UInt8(ascii: "{") { _ = interval(from: &rest) }
            if byte != UInt8(ascii: "+") { mayBeNone = true }
            mayBeMore = true
        }
        return (mayBeNone, mayBeMore)
    }
}
