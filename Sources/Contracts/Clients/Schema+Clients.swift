extension Schema {
    /// This schema. If a type gives it (`SchemaProviding`), only as much of it as the types of a client's language can express.
    var plain: Schema {
        guard case .custom(let json) = form else { return self }
        return Schema(Self.plainForm(json), description: description)
    }

    private static func plainForm(_ json: JSONTree) -> Form {
        if case .array(let values)? = json["enum"] { return plainForm(ofValues: values) }
        if let value = json["const"] { return plainForm(ofValues: [value]) }
        switch json["type"] {
        case .string(let name): return plainForm(ofType: name, json)
        case .array(let names):
            // A nullable type: null and one other.
            let others = names.filter { $0 != .string("null") }
            guard others.count == 1, others.count < names.count, case .string(let name)? = others.first else {
                return .anything
            }
            return .nullable(Schema(plainForm(ofType: name, json)))
        default: return .anything
        }
    }

    private static func plainForm(ofType name: String, _ json: JSONTree) -> Form {
        switch name {
        case "string": .string(stringForm(json))
        case "boolean": .boolean
        case "number": .number
        case "integer": .integer(minimum: .min, maximum: .max)
        default: .anything
        }
    }

    private static func stringForm(_ json: JSONTree) -> StringForm {
        if json["contentEncoding"] == .string("base64") { return .base64 }
        return switch json["format"] {
        case .string("date-time"): .dateTime
        case .string("uri-reference"): .uri
        case .string("uuid"): .uuid
        default: .any
        }
    }

    private static func plainForm(ofValues values: [JSONTree]) -> Form {
        let isPlain = values.allSatisfy { value in
            switch value {
            case .string: true
            case .number(let text): Int64(text) != nil
            default: false
            }
        }
        return isPlain && !values.isEmpty ? .rawValues(values.map { RawValue($0) }) : .anything
    }
}

extension Schema.Form {
    /// Whether clients' languages have a type of their own for the form, so that it needs no definition.
    var isForeign: Bool {
        switch self {
        case .integer: true
        case .string(let form): form != .any && form != .uri
        default: false
        }
    }
}

extension ViewModelContract {
    /// The names of the definitions that arguments and view events refer to, also through other definitions.
    var definitionsWrittenByClients: Set<String> {
        var names: Set<String> = []
        var open = arguments.references + viewEvent.references
        while let name = open.popLast() {
            guard names.insert(name).inserted, let schema = definition(name) else { continue }
            open += schema.references
        }
        return names
    }

    /// Whether a client can open the view model; otherwise only other view models can.
    var canBeOpened: Bool { arguments.form != .nothing }

    /// Whether the view model can be opened with an object that has no members.
    var takesEmptyArguments: Bool { isEmptyObjectValid(arguments, depth: 0) }

    private func isEmptyObjectValid(_ schema: Schema, depth: Int) -> Bool {
        switch schema.form {
        case .object(let members): return members.allSatisfy { !$0.isRequired }
        case .dictionary, .anything: return true
        case .nullable(let value): return isEmptyObjectValid(value, depth: depth)
        case .reference(let name):
            // A definition that needs a value of itself has no value.
            guard depth < definitions.count, let schema = definition(name) else { return false }
            return isEmptyObjectValid(schema, depth: depth + 1)
        case .custom: return schema.plain.form == .anything
        default: return false
        }
    }
}

extension Schema {
    /// The names of the definitions that the schema refers to directly.
    fileprivate var references: [String] {
        switch form {
        case .reference(let name): [name]
        case .array(let value), .nullable(let value), .dictionary(let value, _): value.references
        case .tuple(let values), .either(let values): values.flatMap(\.references)
        case .object(let members): members.flatMap(\.schema.references)
        case .cases(let cases, _): cases.flatMap { $0.members.flatMap(\.schema.references) }
        default: []
        }
    }
}
