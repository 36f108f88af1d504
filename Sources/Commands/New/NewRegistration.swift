/// A function `register(in:)` to which a line can be added after a simple reading of its file.
///
/// This is deliberately not a parser. It knows one form: the declaration on one line that ends with `{`; the body indented
/// below; and `}` on a line of its own, as far left as the declaration. In any other form, or if the body has multiline
/// strings, multiline comments or compiler conditions, it finds no place, and `new` prints the line instead.
struct NewRegistration {
    /// The name of the registry parameter.
    let registry: String
    private let lines: [Substring]
    /// The lines that the new one replaces: none, before the closing brace; or the line that ends with `{}`.
    private let replaced: Range<Int>
    private let outer: Substring
    private let inner: String

    /// Returns the number of declarations of such a function in a file.
    static func count(in source: SwiftSource) -> Int {
        source.code.matches(of: declaration).count
    }

    private static var declaration: Regex<(Substring, Substring)> { /\bfunc\s+register\s*\(\s*in\s+(\w+)\s*:/ }

    /// Finds the function; nil if the file doesn't have this form, or has several such functions.
    init?(in source: SwiftSource) {
        guard Self.count(in: source) == 1, let match = source.code.firstMatch(of: Self.declaration) else { return nil }
        registry = String(match.1)
        // Lines are split as bytes, since "\r\n" is one character; the carriage return stays with its line.
        lines = source.text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map {
            Substring($0)
        }
        guard let start = lines.firstIndex(where: { $0.contains(Self.declaration) && !$0.contains("//") }) else {
            return nil
        }
        let outer = lines[start].indentation
        self.outer = outer
        let step = outer.contains("\t") ? "\t" : "    "
        if lines[start].trimmed.hasSuffix("{}") {
            (replaced, inner) = (start..<start + 1, outer + step)
            return
        }
        guard lines[start].trimmed.hasSuffix("{"),
            let end = lines[(start + 1)...].firstIndex(where: { $0.trimmed == "}" && $0.indentation == outer })
        else { return nil }
        let body = lines[(start + 1)..<end].filter { !$0.trimmed.isEmpty }
        let isSimple = body.allSatisfy { line in
            line.indentation.count > outer.count && line.hasPrefix(outer)
                && !["/*", "*/", "\"\"\"", "#if", "#e", "return"].contains { line.contains($0) }
        }
        guard isSimple else { return nil }
        (replaced, inner) = (end..<end, body.first.map { String($0.indentation) } ?? outer + step)
    }

    /// Returns the file's text with `statement` as the last line of the function, and the number of that line.
    func adding(_ statement: String) -> (text: String, line: Int) {
        let lineEnd = lines.contains { $0.utf8.last == UInt8(ascii: "\r") } ? "\r" : ""
        var text: [Substring] = Array(lines[..<replaced.lowerBound])
        let new: Substring = "\(inner)\(statement)\(lineEnd)"
        if let line = lines[replaced].first {
            let brace = line.lastIndex(of: "}") ?? line.endIndex
            text += ["\(line[..<brace])\(lineEnd)", new, "\(outer)\(line[brace...])"]
        } else {
            text.append(new)
        }
        text += lines[replaced.upperBound...]
        return (text.joined(separator: "\n"), replaced.lowerBound + (replaced.isEmpty ? 1 : 2))
    }
}

/// The text of a Swift file, and its code: the text without line comments.
///
/// A simple reading: `//` in a string literal counts as a comment if a space precedes it.
struct SwiftSource {
    let text: String
    let code: String

    init(_ text: String) {
        self.text = text
        code = text.replacing(/\/\*(?s:.*?)\*\//, with: " ").replacing(/(?m)(^|[ \t])\/\/.*$/, with: "")
    }
}

extension Substring {
    /// The text without the white space around it.
    fileprivate var trimmed: Substring {
        let start = drop { $0.isWhitespace }
        return start[..<(start.lastIndex { !$0.isWhitespace }.map { start.index(after: $0) } ?? start.startIndex)]
    }

    /// The blanks and tabs at the beginning.
    fileprivate var indentation: Substring { prefix { $0 == " " || $0 == "\t" } }
}
