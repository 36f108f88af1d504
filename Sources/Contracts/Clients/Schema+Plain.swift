extension Schema {
    /// This one; or, where a type gives its own schema, as much of it as types of a client's language can say.
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
            // Those that may be null.
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
    /// Whether its definition is there only because the schema is long: languages have a name of their own for it.
    var isForeign: Bool {
        switch self {
        case .integer: true
        case .string(let form): form != .any && form != .uri
        default: false
        }
    }
}
