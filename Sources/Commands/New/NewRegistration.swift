/// A `register(in:)` of a package, the place where its view models are named.
struct NewRegistration {
    private let code: SwiftCode
    private let bytes: [UInt8]
    /// Where the function's declaration begins.
    private let declaration: Int
    /// What is between its braces.
    private let body: Range<Int>
    /// What the registry is called there.
    let registry: String

    /// All that have a body.
    static func all(in code: SwiftCode) -> [NewRegistration] {
        code.bare.matches(of: /\bfunc\s+register\s*\(\s*in\s+(\w+)\s*:/).compactMap { match in
            NewRegistration(
                in: code, declaredAt: code.bare.utf8.distance(from: code.bare.startIndex, to: match.range.lowerBound),
                registry: String(match.1))
        }
    }

    private init?(in code: SwiftCode, declaredAt declaration: Int, registry: String) {
        let bytes = Array(code.bare.utf8)
        guard let parameters = bytes[declaration...].firstIndex(of: UInt8(ascii: "(")),
            let end = SwiftCode.closing(bytes, from: parameters),
            let open = bytes[(end + 1)...].firstIndex(where: { !$0.isBlank }), bytes[open] == UInt8(ascii: "{"),
            let close = SwiftCode.closing(bytes, from: open)
        else { return nil }
        self.code = code
        self.bytes = bytes
        self.declaration = declaration
        self.registry = registry
        body = open + 1..<close
    }

    /// The file's text with `statement` on a line of its own, behind the last one that names a view model, and the number of
    /// that line.
    func adding(_ statement: String) -> (text: String, line: Int) {
        let text = Array(code.text.utf8)
        let replaced: Range<Int>
        let new: String
        if let last = lastNaming() {
            replaced = last.lineEnd..<last.lineEnd
            new = "\(lineBreak)\(indentation(of: last.start))\(statement)"
        } else {
            (replaced, new) = atEnd(statement, of: text)
        }
        let before = text[..<replaced.lowerBound] + Array(new.utf8)
        let isAtEnd = replaced.upperBound == body.upperBound
        let breaks = before.count { $0 == UInt8(ascii: "\n") }
        return (
            String(decoding: before + text[replaced.upperBound...], as: UTF8.self), isAtEnd ? breaks : breaks + 1
        )
    }

    /// Where the last statement that names a view model begins, and where its line ends. Nil where there is none that stands
    /// there whatever the conditions, or where something follows it on its line.
    private func lastNaming() -> (start: Int, lineEnd: Int)? {
        var found: (start: Int, lineEnd: Int)?
        var start: Int?
        var depth = 0
        var conditions = 0
        for index in body {
            let isOutside = depth == 0 && conditions == 0
            depth += SwiftCode.nesting(bytes[index])
            if bytes[index] == UInt8(ascii: "#") { conditions += condition(at: index) }
            if isOutside, isNaming(at: index) {
                start = index
                found = nil
            } else if let begun = start, depth == 0, bytes[index].isLineBreak, !continues(after: index) {
                found = (begun, index)
                start = nil
            }
        }
        return found
    }

    /// How many more conditions of the compiler hold behind this `#`.
    private func condition(at index: Int) -> Int {
        if bytes[index...].starts(with: "#if".utf8) { return 1 }
        return bytes[index...].starts(with: "#endif".utf8) ? -1 : 0
    }

    /// Whether it says `registry.add(` here.
    private func isNaming(at index: Int) -> Bool {
        guard bytes[index...].starts(with: registry.utf8), !bytes[index - 1].isPartOfName else { return false }
        var rest = bytes[(index + registry.utf8.count)..<body.upperBound]
        for part in [".", "add", "("] {
            rest = rest.drop(while: \.isBlank)
            guard rest.starts(with: part.utf8) else { return false }
            rest = rest.dropFirst(part.utf8.count)
        }
        return true
    }

    /// Whether a statement goes on in the next line, with a closure or a call on its result.
    private func continues(after index: Int) -> Bool {
        let next = bytes[index..<body.upperBound].first { !$0.isBlank }
        return next == UInt8(ascii: "{") || next == UInt8(ascii: ".")
    }

    /// What to replace before the closing brace, and by what.
    private func atEnd(_ statement: String, of text: [UInt8]) -> (Range<Int>, String) {
        let outer = indentation(of: declaration)
        let tail = text[body].reversed().prefix(while: \.isBlank).count
        let contents = text[body].dropLast(tail).drop(while: \.isBlank)
        let isOneLine = !text[body].dropLast(tail).contains(where: \.isLineBreak)
        let first = bytes[body].drop { !$0.isLineBreak }.firstIndex { !$0.isBlank }
        let inner = isOneLine ? outer + unit : first.map(indentation) ?? outer + unit
        let lines = isOneLine ? [String(decoding: contents, as: UTF8.self), statement] : [statement]
        let start = isOneLine ? body.lowerBound : body.upperBound - tail
        let new = lines.filter { !$0.isEmpty }.map { "\(lineBreak)\(inner)\($0)" }.joined() + "\(lineBreak)\(outer)"
        return (start..<body.upperBound, new)
    }

    /// How far a line is indented, of which a byte stands at `index`.
    private func indentation(of index: Int) -> String {
        let start = bytes[..<index].lastIndex(where: \.isLineBreak).map { $0 + 1 } ?? 0
        let blanks = bytes[start...].prefix { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
        return String(decoding: blanks, as: UTF8.self)
    }

    /// One step of indentation in this file.
    private var unit: String {
        let outer = indentation(of: declaration)
        if !outer.isEmpty { return outer }
        return code.bare.contains("\n\t") ? "\t" : "    "
    }

    private var lineBreak: String { bytes.contains(UInt8(ascii: "\r")) ? "\r\n" : "\n" }
}
