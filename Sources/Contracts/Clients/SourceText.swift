import JSON

/// Source code of a client's language, line by line.
package struct SourceText {
    private let unit: String
    private var depth = 0
    private var lines: [String] = []

    /// Makes an empty text.
    ///
    /// - Parameter unit: the characters of one step of indentation.
    package init(indentation unit: String) {
        self.unit = unit
    }

    /// The whole text. Each line ends with a line feed, also the last one.
    package var text: String { lines.map { $0 + "\n" }.joined() }

    /// The number of characters that fit into a line at the current indentation.
    var room: Int { Self.width - depth * unit.count }

    package mutating func line(_ text: String = "") {
        lines.append(text.isEmpty ? "" : String(repeating: unit, count: depth) + text)
    }

    /// Adds an empty line, except at the beginning of a block.
    package mutating func gap() {
        if let last = lines.last, !last.hasSuffix(":"), !last.hasSuffix("{") { line() }
    }

    /// Adds lines with the current indentation. Empty ones get none.
    package mutating func lines(_ texts: some Sequence<some StringProtocol>) {
        for text in texts { line(String(text)) }
    }

    package mutating func indented(_ body: (inout SourceText) -> Void) {
        depth += 1
        body(&self)
        depth -= 1
    }

    private static let width = 110
}

extension SourceText {
    /// Returns the lines of a doc comment, broken at blanks, without characters that could end a comment or hide code.
    package static func comment(_ description: String, width: Int) -> [String] {
        let plain = String(String.UnicodeScalarView(description.unicodeScalars.map { isPlain($0) ? $0 : " " }))
        let lines = plain.split(separator: "\n", omittingEmptySubsequences: false)
        return lines.flatMap { line -> [String] in
            // Indented lines are code and aren't broken.
            line.count <= width || line.hasPrefix("    ") ? [String(line)] : broken(line, width)
        }
    }

    private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
        if scalar == "\n" { return true }
        // Bidirectional controls can make a comment look like code, or code like a comment.
        if scalar.properties.isBidiControl { return false }
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: return false
        default: return true
        }
    }

    private static func broken(_ line: Substring, _ width: Int) -> [String] {
        var lines: [String] = []
        for word in line.split(separator: " ") {
            if let last = lines.last, last.count + 1 + word.count <= width {
                lines[lines.count - 1] = "\(last) \(word)"
            } else {
                lines.append(String(word))
            }
        }
        return lines.isEmpty ? [""] : lines
    }

    /// Returns a line with a backslash before each special character.
    static func escaped(
        _ line: String, where isSpecial: (_ before: Unicode.Scalar?, _ scalar: Unicode.Scalar) -> Bool
    ) -> String {
        var escaped = String.UnicodeScalarView()
        var before: Unicode.Scalar?
        for scalar in line.unicodeScalars {
            if isSpecial(before, scalar) { escaped.append("\\") }
            escaped.append(scalar)
            before = scalar
        }
        return String(escaped)
    }
}

/// String literals that are valid both in JavaScript and in Python.
package enum SourceLiteral {
    package static func quoted(_ text: String) -> String {
        var writer = JSONWriter()
        writer.string(text)
        let json = String(decoding: writer.takeBytes(), as: UTF8.self)
        return json.unicodeScalars.map(visible).joined()
    }

    /// Returns a character as it is, or as an escape if it is invisible or a line end in JavaScript.
    private static func visible(_ scalar: Unicode.Scalar) -> String {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator:
            guard let unit = UInt16(exactly: scalar.value) else { return String(scalar) }
            let digits = String(unit, radix: 16)
            return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        default:
            return String(scalar)
        }
    }
}

/// The names of one scope of source code: valid identifiers, each used once.
package struct SourceNames {
    private var taken: Set<String>

    /// Begins an empty scope.
    ///
    /// - Parameter reserved: names with another meaning in this scope.
    package init(reserved: Set<String> = []) {
        taken = reserved
    }

    /// Returns an unused name for a type: `selectOrder` becomes `SelectOrder`, and `order list` becomes `OrderList`.
    package mutating func type(_ name: String) -> String { unique(Self.capitalized(name)) }

    /// Returns an unused name for a member: `name` itself if it is a valid identifier.
    package mutating func member(_ name: String) -> String { unique(Self.identifier(name)) }

    /// Returns the name, with `_` and then a number after it if it is taken.
    private mutating func unique(_ name: String) -> String {
        var unique = name
        var count = 1
        while !taken.insert(unique).inserted {
            unique = count == 1 ? "\(name)_" : "\(name)_\(count)"
            count += 1
        }
        return unique
    }

    private static func capitalized(_ name: String) -> String {
        let words = name.unicodeScalars.split { !isPart($0) }.map { String($0) }
        let name = identifier(words.map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined())
        return name.prefix(1).uppercased() + name.dropFirst()
    }

    /// Returns an identifier without leading underscores, which have a meaning in Python's classes.
    private static func identifier(_ name: String) -> String {
        let parts = name.unicodeScalars.map { isPart($0) ? $0 : "_" }.drop { $0 == "_" }
        guard let first = parts.first else { return "value" }
        let identifier = String(String.UnicodeScalarView(parts))
        return first.properties.isXIDStart ? identifier : "n\(identifier)"
    }

    /// Whether an identifier may contain the character: one UTF-16 unit that Python doesn't replace by another character (PEP
    /// 3131).
    private static func isPart(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII { return scalar == "_" || scalar.properties.isXIDContinue }
        let isReplaced = scalar.properties.changesWhenNFKCCaseFolded && !scalar.properties.changesWhenLowercased
        return scalar.properties.isXIDContinue && scalar.value <= 0xFFFF && (!isReplaced || scalar == "ß")
    }
}
