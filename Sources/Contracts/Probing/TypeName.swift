import JSON

/// What a type is called.
struct TypeName: Hashable, Sendable {
    /// With its module and generic arguments: `Shop.Page<Shop.Order>`. Two private types may be called the same.
    let qualified: String

    init(_ type: any Any.Type) {
        qualified = Self.withoutContexts(_typeName(type, qualified: true))
    }

    /// Without generic arguments; the first is the module.
    var path: [String] { Self.path(qualified) }

    static func path(_ qualified: String) -> [String] {
        parts(qualified).path
    }

    /// Whether it is the standard library's or Foundation's, whose `Codable` forms are their own.
    var isLibrarys: Bool {
        guard let module = path.first else { return false }
        return module == "Swift" || module.hasPrefix("Foundation")
    }

    /// How deep its generic arguments are in one another.
    var depth: Int {
        var (depth, deepest) = (0, 0)
        for byte in qualified.utf8 {
            if byte == UInt8(ascii: "<") { depth += 1 } else if byte == UInt8(ascii: ">") { depth -= 1 }
            deepest = max(deepest, depth)
        }
        return deepest
    }

    /// A type that holds another of itself, with larger generic arguments, has no last one. Nobody writes so many by hand.
    static let greatestDepth = 24

    /// For a definition: the last names of the type and of its generic arguments, as many as asked for: `PageOfOrder`.
    ///
    /// - Parameter count: nil for all, with the module.
    func short(_ count: Int?) -> String { Self.short(qualified[...], count) }

    private static func short(_ name: some StringProtocol, _ count: Int?) -> String {
        let (path, arguments) = parts(name)
        let last = count.map { path.dropFirst().suffix($0) } ?? path[...]
        // What a reference may not have in it is left out.
        let own = last.joined(separator: ".").filter { $0.isLetter || $0.isNumber || "._".contains($0) }
        return arguments.isEmpty ? own : own + "Of" + arguments.map { short($0, count) }.joined(separator: "And")
    }

    /// The names without generic arguments, and these, those of what the type is in before its own.
    private static func parts(_ name: some StringProtocol) -> (path: [String], arguments: [String]) {
        var (path, arguments, depth, isQuoted) = ([""], [""], 0, false)
        // An arrow, of a function's type, closes nothing.
        for character in name.split(separator: "->").joined(separator: " to ") {
            if character == "`" { isQuoted.toggle() }
            switch (character, depth) {
            case _ where isQuoted && depth == 0: path[path.count - 1].append(character)
            case _ where isQuoted: arguments[arguments.count - 1].append(character)
            case (".", 0): path.append("")
            case ("<", 0): depth = 1
            case (">", 1), (",", 1):
                arguments.append("")
                if character == ">" { depth = 0 }
            case (_, 0): path[path.count - 1].append(character)
            default:
                if character == "<" || character == "(" { depth += 1 }
                if character == ">" || character == ")" { depth -= 1 }
                arguments[arguments.count - 1].append(character)
            }
        }
        return (path.map(CaseNames.plain), arguments.dropLast())
    }

    /// What is private stands in a context whose name is its address, another one in each run.
    private static func withoutContexts(_ name: String) -> String {
        var kept = ""
        var rest = name[...]
        while let start = rest.firstRange(of: "(unknown context at $") {
            guard let end = rest[start.upperBound...].firstIndex(of: ")") else { break }
            kept += rest[..<start.lowerBound]
            // And the dot.
            rest = rest[end...].dropFirst(2)
        }
        return kept + rest
    }
}
