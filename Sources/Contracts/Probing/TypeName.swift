/// What a type is called.
struct TypeName: Hashable, Sendable {
    /// With its module and generic arguments: `Shop.Page<Shop.Order>`.
    let qualified: String

    init(_ type: any Any.Type) {
        qualified = _typeName(type, qualified: true)
    }

    /// Without generic arguments; the first is the module.
    var path: [String] { Self.path(qualified) }

    static func path(_ qualified: String) -> [String] {
        var depth = 0
        let plain = qualified.filter { character in
            if character == "<" { depth += 1 }
            defer { if character == ">" { depth -= 1 } }
            return depth == 0
        }
        return plain.split(separator: ".").map(String.init)
    }

    /// Whether it is the standard library's or Foundation's, whose `Codable` forms are their own.
    var isLibrarys: Bool { ["Swift", "Foundation", "FoundationEssentials"].contains(path.first ?? "") }

    /// For a definition: the last names of the type and of its generic arguments, as many as asked for: `PageOfOrder`.
    func short(_ count: Int) -> String {
        let parts = qualified.split { "<>,".contains($0) }.map { part in
            part.split(separator: ".").dropFirst().suffix(count).joined(separator: ".").filter { $0 != " " }
        }
        let names = parts.filter { !$0.isEmpty }
        guard let first = names.first, names.count > 1 else { return names.first ?? qualified }
        return first + "Of" + names.dropFirst().joined(separator: "And")
    }
}
