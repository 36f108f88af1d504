import FoundationEssentials

/// A file of `Sources`, or of a client in Swift, read as text: enough for the rules of `LayoutTests`.
struct SourceFile {
    /// The folders of targets that others use.
    static let folders = ["Sources", "clients/swift/Sources", "clients/terminal/Sources"]

    /// Begins with the folder of its target.
    let path: String
    /// The modules that it imports.
    let imports: [String]
    /// String literals of one line, in pieces where they have quotes or values in them. Those of several lines are text
    /// for people and are left out.
    let literals: [String]
    /// The declarations that aren't inside of another one.
    let declarations: [Declaration]
    let lineCount: Int
    /// Without comments.
    private let code: String
    /// The identifiers and keywords of `code`.
    private let words: Set<Substring>

    /// Every Swift file.
    static func all() throws -> [SourceFile] { try everything.get() }

    /// The Swift files of a module.
    static func all(in module: String) throws -> [SourceFile] {
        try all().filter { $0.path.hasPrefix("\(module)/") }
    }

    /// The name of its target.
    var module: String { String(path.prefix { $0 != "/" }) }

    /// The names of the methods and notifications that it declares.
    var messageNames: [String] {
        code.matches(of: /static let name: StaticString = "(.+)"/).map { String($0.1) }
    }

    func contains(_ text: String) -> Bool { code.contains(text) }

    /// The limits that errors are made of here, by a name that is written out.
    var limitNames: [String] {
        code.matches(of: /limitExceeded\((limit: )?"([a-zA-Z]+)"/).map { String($0.2) }
    }

    /// Whether it uses this name, or declares it.
    func mentions(_ name: String) -> Bool { words.contains(name[...]) }

    private static let everything = Result { try read() }

    private static func read() throws -> [SourceFile] {
        try folders.flatMap { folder in
            let root = "\(Checkout.root)/\(folder)"
            let names = try FileManager.default.subpathsOfDirectory(atPath: root).filter { $0.hasSuffix(".swift") }
            return try names.sorted().map { name in
                SourceFile(path: name, text: try String(contentsOfFile: "\(root)/\(name)", encoding: .utf8))
            }
        }
    }

    private init(path: String, text: String) {
        self.path = path
        lineCount = text.split(separator: "\n", omittingEmptySubsequences: false).count - 1
        declarations = Declaration.all(in: text)
        let lines = text.split(separator: "\n").filter { !$0.drop { $0 == " " }.hasPrefix("//") }
        code = lines.joined(separator: "\n")
        words = Set(code.split { !($0.isLetter || $0.isNumber || $0 == "_") })
        let statements = Self.withoutTexts(lines)
        imports = statements.compactMap(Self.importedModule)
        literals = Self.literals(of: statements)
    }

    /// The module that a line like `package import struct JSON.JSONValue` imports.
    private static func importedModule(_ line: Substring) -> String? {
        let words = line.split(separator: " ")
        guard let index = words.firstIndex(of: "import"), words[..<index].allSatisfy({ $0.first != "/" }) else {
            return nil
        }
        let kinds: Set<Substring> = ["struct", "class", "enum", "protocol", "func", "var", "typealias"]
        return words[(index + 1)...].first { !kinds.contains($0) }?.split(separator: ".").first.map(String.init)
    }

    /// Without string literals of several lines.
    private static func withoutTexts(_ lines: [Substring]) -> [Substring] {
        var isText = false
        return lines.filter { line in
            let delimiters = line.contains("\"\"\"")
            if delimiters { isText.toggle() }
            return !isText && !delimiters
        }
    }

    private static func literals(of lines: [Substring]) -> [String] {
        lines.flatMap { line in
            let parts = line.split(separator: "\"", omittingEmptySubsequences: false)
            return stride(from: 1, to: parts.count, by: 2).map { String(parts[$0]) }
        }
    }
}

/// A type, an extension or another declaration at the beginning of a line. The formatter puts its closing brace there,
/// too.
struct Declaration {
    /// Such as `struct`, `extension` or `func`.
    let kind: String
    /// With all names, as in `Outer.Inner`, of an extension.
    let name: String
    let lineCount: Int
    /// Whether the comment above it gives a reason for its size: `// Over 400 lines because …`.
    let excusesItsSize: Bool

    var isType: Bool { ["struct", "class", "enum", "actor", "protocol", "extension"].contains(kind) }

    static func all(in text: String) -> [Declaration] {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        return lines.indices.compactMap { index in
            guard let (kind, name) = head(lines[index]) else { return nil }
            let isOneLine = lines[index].hasSuffix("}") || !lines[index...].prefix(20).contains { $0.hasSuffix("{") }
            let end = isOneLine ? index : lines[index...].firstIndex { $0.hasPrefix("}") } ?? index
            let comment = lines[..<index].reversed().prefix { $0.hasPrefix("//") || $0.hasPrefix("@") }
            return Declaration(
                kind: kind, name: name, lineCount: end - index + 1,
                excusesItsSize: comment.contains { $0.hasPrefix("// Over 400 lines because ") })
        }
    }

    /// The kind and name in a line such as `package final class Session: Sendable {`.
    private static func head(_ line: Substring) -> (kind: String, name: String)? {
        guard let first = line.first, first.isLetter || first == "@" else { return nil }
        let kinds: Set<Substring> = [
            "struct", "class", "enum", "actor", "protocol", "extension", "func", "let", "var", "typealias",
        ]
        let words = line.split(separator: " ")
        guard let index = words.firstIndex(where: { kinds.contains($0) }), index + 1 < words.count,
            words[..<index].allSatisfy({ $0 != "import" && !$0.hasPrefix("//") })
        else { return nil }
        let name = words[index + 1].prefix { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "." }
        return (String(words[index]), String(name))
    }
}
