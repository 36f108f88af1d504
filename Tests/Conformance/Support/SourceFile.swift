import FoundationEssentials

/// A file of `Sources`, or of the client in Swift, read as text: enough for the rules that the layout tests hold.
struct SourceFile {
    /// Where targets are that others use.
    static let folders = ["Sources", "clients/swift/Sources"]

    /// From the folder of its target on.
    let path: String
    /// The modules that it imports; what a text of several lines imports, another file does.
    let imports: [String]
    /// String literals of one line, in pieces where they have quotes or values in them; those of several lines are text for
    /// people, and not among them.
    let literals: [String]
    /// Without what comments say.
    private let code: String

    /// Every Swift file.
    static func all() throws -> [SourceFile] { try everything.get() }

    /// The Swift files of a module.
    static func all(in module: String) throws -> [SourceFile] {
        try all().filter { $0.path.hasPrefix("\(module)/") }
    }

    func contains(_ text: String) -> Bool { code.contains(text) }

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
        let lines = text.split(separator: "\n").filter { !$0.drop { $0 == " " }.hasPrefix("//") }
        code = lines.joined(separator: "\n")
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
