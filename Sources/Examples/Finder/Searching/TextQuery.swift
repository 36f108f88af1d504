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

    /// A text that is in every match, and that is faster to find; nil where none is known.
    var requiredText: String? {
        guard usesRegularExpression else { return text }
        guard isRegularExpression, let required = RegularExpressionShape.requiredText(text),
            !ignoresCase || required.utf8.allSatisfy({ $0 < 0x80 })
        else { return nil }
        return required
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

    /// The longest run of plain characters that each match has; nil where there may be none.
    static func requiredText(_ text: String) -> String? {
        var (runs, run) = ([[UInt8]](), [UInt8]())
        var depth = 0
        var rest = Array(text.utf8)[...]
        func endRun() {
            if depth == 0 { runs.append(run) }
            run = []
        }
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "|"):
                if depth == 0 { return nil }
            case UInt8(ascii: "("):
                endRun()
                depth += 1
            case UInt8(ascii: ")"):
                run = []
                depth = max(0, depth - 1)
            case UInt8(ascii: "["):
                endRun()
                dropBrackets(from: &rest)
            case UInt8(ascii: "*"), UInt8(ascii: "?"), UInt8(ascii: "{"):
                // The last character may be missing, with all of its bytes.
                while let last = run.popLast(), last & 0xC0 == 0x80 {}
                endRun()
                if byte == UInt8(ascii: "{") { _ = interval(from: &rest) }
            case UInt8(ascii: "+"):
                // As in `b+?`, which may be nothing.
                if let next = rest.first, "*?{+".utf8.contains(next) {
                    while let last = run.popLast(), last & 0xC0 == 0x80 {}
                }
                endRun()
            case UInt8(ascii: "."), UInt8(ascii: "^"), UInt8(ascii: "$"): endRun()
            case UInt8(ascii: "\\"):
                guard let escaped = rest.popFirst() else { return nil }
                if ".[]{}()*+?^$|\\/-".utf8.contains(escaped) {
                    run.append(escaped)
                } else {
                    endRun()
                }
            default: run.append(byte)
            }
        }
        endRun()
        let longest = runs.max { $0.count < $1.count } ?? []
        return longest.isEmpty ? nil : String(validating: longest, as: UTF8.self)
    }
}
