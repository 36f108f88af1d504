import JSON
import ViewModels

/// The name of a type, with its module and generic arguments.
struct TypeName: Hashable, Sendable {
    /// The qualified name, such as `Shop.Page<Shop.Order>`. Two private types may have the same one.
    let qualified: String

    init(_ type: any Any.Type) {
        qualified = Self.withoutContexts(_typeName(type, qualified: true))
    }

    /// The names from the module to the type, without generic arguments.
    var path: [String] { Self.path(qualified) }

    static func path(_ qualified: String) -> [String] {
        parts(qualified).path
    }

    /// Whether the type belongs to the standard library or Foundation, whose `Codable` conformances are hand-written.
    var isLibrarys: Bool {
        guard let module = path.first else { return false }
        return module == "Swift" || module.hasPrefix("Foundation")
    }

    /// The depth of nested generic arguments.
    var depth: Int {
        var (depth, deepest) = (0, 0)
        for byte in qualified.utf8 {
            if byte == UInt8(ascii: "<") { depth += 1 } else if byte == UInt8(ascii: ">") { depth -= 1 }
            deepest = max(deepest, depth)
        }
        return deepest
    }

    /// The greatest depth that is accepted, which is more than anybody writes by hand. A type that contains itself with ever
    /// larger generic arguments has no greatest depth.
    static let greatestDepth = 24

    /// Returns a name for a definition, such as `PageOfOrder`, made of the last names of the type and of its generic arguments.
    ///
    /// - Parameter count: how many last names of each to use; nil for all, with the module.
    func short(_ count: Int?) -> String { Self.short(qualified[...], count) }

    private static func short(_ name: some StringProtocol, _ count: Int?) -> String {
        let (path, arguments) = parts(name)
        let last = count.map { path.dropFirst().suffix($0) } ?? path[...]
        // Characters that a reference can't have are left out.
        let own = last.joined(separator: ".").filter { $0.isLetter || $0.isNumber || "._".contains($0) }
        return arguments.isEmpty ? own : own + "Of" + arguments.map { short($0, count) }.joined(separator: "And")
    }

    /// Returns the names without generic arguments, and all generic arguments, those of outer types first.
    private static func parts(_ name: some StringProtocol) -> (path: [String], arguments: [String]) {
        var (path, arguments, depth, isQuoted) = ([""], [""], 0, false)
        // The arrow in a function's type contains a `>` that isn't a closing bracket.
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

    /// Removes the addresses in the contexts of private types, which differ from run to run.
    private static func withoutContexts(_ name: String) -> String {
        var kept = ""
        var rest = name[...]
        while let start = rest.firstRange(of: "(unknown context at $") {
            guard let end = rest[start.upperBound...].firstIndex(of: ")") else { break }
            kept += rest[..<start.lowerBound]
            // The dot behind the context goes, too.
            rest = rest[end...].dropFirst(2)
        }
        return kept + rest
    }
}
