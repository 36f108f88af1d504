package import Contracts
import JSON

/// A schema from a contract, used to read typed values and to explain mistakes.
///
/// It knows the keywords that contracts use. Any other keyword allows everything: the server decides in the end.
struct ValueSchema {
    /// The number of references that are followed, since a schema may refer to itself.
    private static let maximumDepth = 32

    let schema: JSONTree
    /// The document that `$ref` points into.
    let document: JSONTree

    /// The alternatives for a value, each without a reference or a choice at the top.
    var alternatives: [ValueSchema] { alternatives(depth: 0) }

    var description: String? { schema["description"]?.string ?? resolved(depth: 0)["description"]?.string }

    /// The values of an enum, or the value of `const`; empty if any value is allowed.
    var choices: [JSONTree] {
        alternatives.flatMap { $0.schema["enum"]?.elements ?? $0.schema["const"].map { [$0] } ?? [] }
    }

    /// Whether a value of this type, such as "string", can match. If the schema has no type, any can.
    func isOf(_ type: String) -> Bool {
        if let types = types { return types.contains(type) || (type == "number" && types.contains("integer")) }
        return true
    }

    /// The types that the schema allows; nil if it allows any.
    var types: [String]? {
        switch schema["type"] {
        case .string(let name): return [name]
        case .array(let names): return names.compactMap(\.string)
        default:
            let values = schema["enum"]?.elements ?? schema["const"].map { [$0] }
            return values.map { $0.map(\.typeName) }
        }
    }

    func part(_ schema: JSONTree) -> ValueSchema {
        ValueSchema(schema: schema, document: document)
    }

    private func alternatives(depth: Int) -> [ValueSchema] {
        let resolved = resolved(depth: depth)
        guard depth < Self.maximumDepth,
            let parts = resolved["anyOf"]?.elements ?? resolved["oneOf"]?.elements ?? resolved["allOf"]?.elements
        else { return [part(resolved)] }
        return parts.flatMap { part($0).alternatives(depth: depth + 1) }
    }

    private func resolved(depth: Int) -> JSONTree {
        guard depth < Self.maximumDepth, let reference = schema["$ref"]?.string else { return schema }
        let prefix = "#/$defs/"
        guard reference.hasPrefix(prefix),
            let definition = document["$defs"]?[String(reference.dropFirst(prefix.count))]
        else { return .object([]) }
        return part(definition).resolved(depth: depth + 1)
    }
}

extension JSONTree {
    package var string: String? {
        if case .string(let text) = self { return text }
        return nil
    }

    var elements: [JSONTree]? {
        if case .array(let elements) = self { return elements }
        return nil
    }

    var members: [Member]? {
        if case .object(let members) = self { return members }
        return nil
    }

    /// The name of the value's type in JSON Schema.
    var typeName: String {
        switch self {
        case .null: "null"
        case .boolean: "boolean"
        case .number: "number"
        case .string: "string"
        case .array: "array"
        case .object: "object"
        }
    }
}
