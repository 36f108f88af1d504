import Contracts
import JSON

/// The words of a typed line.
///
/// Blanks separate words, except in quotes and brackets. `"…"` is a string as in JSON, `'…'` a string without escapes,
/// and text in brackets is JSON.
package struct TypedLine: Equatable {
    package private(set) var words: [TypedWord] = []

    /// Splits a line into words.
    ///
    /// - Throws: if a quote or bracket isn't closed, or the text in brackets isn't JSON.
    package init(_ line: String) throws(TypedLineError) {
        var scanner = TypedLineScanner(line)
        while let word = try scanner.word() { words.append(word) }
    }

    /// Returns the complete words, and the one that is being typed, which is "" after a blank. Nil inside quotes or brackets.
    static func unfinished(_ line: String) -> (words: [TypedWord], last: String)? {
        let blanks = line.reversed().prefix { !$0.isWhitespace }
        let last = String(line.suffix(blanks.count))
        guard let whole = try? TypedLine(String(line.dropLast(last.count))),
            !last.contains(where: { "\"'[]{}".contains($0) })
        else { return nil }
        return (whole.words, last)
    }
}

private struct TypedLineScanner {
    private let characters: [Character]
    private var offset = 0

    init(_ line: String) {
        characters = Array(line)
    }

    mutating func word() throws(TypedLineError) -> TypedWord? {
        while let next, next.isWhitespace { offset += 1 }
        guard next != nil else { return nil }
        let start = offset
        let name = memberName()
        let value = try value()
        return TypedWord(name: name, value: value, text: String(characters[start..<offset]))
    }

    private var next: Character? { offset < characters.count ? characters[offset] : nil }

    /// Reads a member's name and `=`; nil if there is none.
    private mutating func memberName() -> String? {
        let rest = characters[offset...]
        guard let end = rest.firstIndex(where: { !($0.isLetter || $0.isNumber || $0 == "_" || $0 == "-") }),
            end > offset, characters[end] == "=", !characters[offset].isNumber, characters[offset] != "-"
        else { return nil }
        defer { offset = end + 1 }
        return String(characters[offset..<end])
    }

    private mutating func value() throws(TypedLineError) -> TypedWord.Value {
        let start = offset
        switch next {
        case "\"":
            try passString()
            try expectEndOfWord(from: start)
            guard case .string(let text) = try json(from: start) else { return .quoted("") }
            return .quoted(text)
        case "'":
            guard let end = characters[(offset + 1)...].firstIndex(of: "'") else {
                throw TypedLineError("the quote that begins at \(shown(from: start)) isn't closed")
            }
            offset = end + 1
            try expectEndOfWord(from: start)
            return .quoted(String(characters[(start + 1)..<end]))
        case "[", "{":
            try passBrackets()
            try expectEndOfWord(from: start)
            return .json(try json(from: start))
        default:
            while let next, !next.isWhitespace { offset += 1 }
            return .bare(String(characters[start..<offset]))
        }
    }

    private mutating func passString() throws(TypedLineError) {
        let start = offset
        offset += 1
        while let next {
            offset += next == "\\" ? 2 : 1
            if next == "\"" { return }
        }
        throw TypedLineError("the quote that begins at \(shown(from: start)) isn't closed")
    }

    private mutating func passBrackets() throws(TypedLineError) {
        let start = offset
        var depth = 0
        while let next {
            if next == "\"" {
                try passString()
                continue
            }
            offset += 1
            if next == "[" || next == "{" { depth += 1 }
            if next == "]" || next == "}" { depth -= 1 }
            if depth == 0 { return }
        }
        throw TypedLineError("the bracket that begins at \(shown(from: start)) isn't closed")
    }

    private func expectEndOfWord(from start: Int) throws(TypedLineError) {
        guard let next, !next.isWhitespace else { return }
        throw TypedLineError("a blank is missing behind \(String(characters[start..<min(offset, characters.count)]))")
    }

    private func json(from start: Int) throws(TypedLineError) -> JSONTree {
        let text = String(characters[start..<min(offset, characters.count)])
        do {
            return try JSONTree(parsing: text)
        } catch {
            throw TypedLineError("\(shown(from: start)) is no JSON: \(error)")
        }
    }

    private func shown(from start: Int) -> String {
        let text = String(characters[start...].prefix(24))
        return start + 24 < characters.count ? text + "…" : text
    }
}
