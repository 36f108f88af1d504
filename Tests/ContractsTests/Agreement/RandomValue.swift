import Contracts
import TestSupport

/// Makes values that a schema allows, knowing the keywords that contracts use.
struct RandomValue {
    private let document: JSONTree
    private var random: SeededGenerator
    private var depth = 0

    init(document: JSONTree, seed: Int) {
        self.document = document
        random = SeededGenerator(seed: seed)
    }

    /// Nil where no value is allowed, or none of a size that ends.
    mutating func value(of schema: JSONTree) -> JSONTree? {
        depth += 1
        defer { depth -= 1 }
        guard depth < 60 else { return nil }
        if case .boolean(let isAnything) = schema { return isAnything ? .null : nil }
        if schema["not"] != nil { return nil }
        if case .string(let reference)? = schema["$ref"] {
            return document["$defs"]?[String(reference.dropFirst("#/$defs/".count))].flatMap { value(of: $0) }
        }
        if let constant = schema["const"] { return constant }
        if case .array(let values)? = schema["enum"] { return values.randomElement(using: &random) }
        for choice in ["oneOf", "anyOf"] {
            guard case .array(let parts)? = schema[choice] else { continue }
            // Deep inside, what comes to an end.
            for part in depth > 8 ? parts.reversed() : parts.shuffled(using: &random) {
                if let value = value(of: part) { return value }
            }
            return nil
        }
        switch schema["type"] {
        case .array(let types)?:
            if depth > 8 || random.chance(30) { return .null }
            guard case .string(let type)? = types.first else { return nil }
            return value(ofType: type, schema)
        case .string(let type)?: return value(ofType: type, schema)
        default: return nil
        }
    }

    private mutating func value(ofType type: String, _ schema: JSONTree) -> JSONTree? {
        switch type {
        case "null": .null
        case "boolean": .boolean(.random(using: &random))
        case "integer": .number(integer(schema))
        case "number": .number(["0", "-1.5", "1e-7", "123456.25", "7"].randomElement(using: &random) ?? "0")
        case "string": .string(string(schema))
        case "array": array(schema)
        default: object(schema)
        }
    }

    private mutating func integer(_ schema: JSONTree) -> String {
        let bounds = [schema["minimum"]?.line, schema["maximum"]?.line].compactMap { $0 }
        return (bounds + ["0", "1", "42", "100"]).randomElement(using: &random) ?? "0"
    }

    private mutating func string(_ schema: JSONTree) -> String {
        let texts: [String] =
            switch (schema["format"], schema["contentEncoding"], schema["pattern"]) {
            case (.string("date-time")?, _, _): ["2026-11-21T10:00:00Z", "1999-12-31T23:59:59.125Z"]
            case (.string("uuid")?, _, _): ["E621E1F8-C36C-495A-93FC-0C247A3E6E5F"]
            case (.string("uri-reference")?, _, _): ["https://example.org/a?b=c#d", "/relative"]
            case (_, .string("base64")?, _): ["", "AAEC", "/+8="]
            case (_, _, .string?): ["0", "12345"]
            default: ["", "a", "Grüße 😀", "\"\\\n", "null"]
            }
        return texts.randomElement(using: &random) ?? ""
    }

    private mutating func array(_ schema: JSONTree) -> JSONTree? {
        if case .array(let elements)? = schema["prefixItems"] {
            let values = elements.compactMap { value(of: $0) }
            return values.count == elements.count ? .array(values) : nil
        }
        guard let items = schema["items"] else { return .array([]) }
        if case .number(let count)? = schema["minItems"], let count = Int(count) {
            let values = (0..<count).compactMap { _ in value(of: items) }
            return values.count == count ? .array(values) : nil
        }
        guard depth <= 8 else { return .array([]) }
        return .array((0..<Int.random(in: 0...3, using: &random)).compactMap { _ in value(of: items) })
    }

    private mutating func object(_ schema: JSONTree) -> JSONTree? {
        if case .object? = schema["additionalProperties"], let values = schema["additionalProperties"] {
            var names = schema["propertyNames"] == nil ? ["", "a", "ü"] : ["0", "-7", "12"]
            if case .array(let known)? = schema["propertyNames"]?["enum"] {
                names = known.compactMap { if case .string(let name) = $0 { name } else { nil } }
            }
            return .object(
                names.prefix(Int.random(in: 0...3, using: &random)).compactMap { name in
                    depth > 8 ? nil : value(of: values).map { JSONTree.Member(name, $0) }
                })
        }
        var members: [JSONTree.Member] = []
        guard case .object(let properties)? = schema["properties"] else { return .object([]) }
        for property in properties {
            let isRequired = schema.requires(property.name)
            guard isRequired || (depth <= 8 && random.chance(60)) else { continue }
            if let value = value(of: property.value) {
                members.append(JSONTree.Member(property.name, value))
            } else if isRequired {
                return nil
            }
        }
        return .object(members.shuffled(using: &random))
    }
}

extension JSONTree {
    fileprivate func requires(_ name: String) -> Bool {
        guard case .array(let names)? = self["required"] else { return false }
        return names.contains(.string(name))
    }
}

/// All values that differ from one in one place: a member left out, another type, a number or a name that isn't known.
enum NearMisses {
    static func of(_ value: JSONTree) -> [JSONTree] {
        var found = others(than: value)
        switch value {
        case .array(let elements):
            for (index, element) in elements.enumerated() {
                found += of(element).map { other in
                    var elements = elements
                    elements[index] = other
                    return .array(elements)
                }
            }
        case .object(let members):
            for (index, member) in members.enumerated() {
                var rest = members
                rest.remove(at: index)
                found.append(.object(rest))
                found += of(member.value).map { other in
                    var members = members
                    members[index].value = other
                    return .object(members)
                }
            }
            found.append(.object(members + [JSONTree.Member("unheard of", .null)]))
        default: break
        }
        return found
    }

    private static func others(than value: JSONTree) -> [JSONTree] {
        let all: [JSONTree] = [
            .null, .boolean(true), .number("1"), .number("1.5"), .number("99999999999999999999"), .number("-300"),
            .string("nobody"), .array([]), .array([.null]), .object([]),
        ]
        return all.filter { $0 != value }
    }
}
