/// The TypeScript types of one contract's values.
struct TypeScriptTypes {
    /// The TypeScript names of definitions that have a type of their own, by the contract's names.
    let names: [String: String]
    /// The definitions of values that clients write. In these, an optional member may also be null.
    let written: Set<String>
    private let contract: ViewModelContract

    init(_ contract: ViewModelContract) {
        let own = ["ViewEvent", "ViewModelEvent"] + (contract.lists.isEmpty ? [] : ["Lists"])
        var scope = SourceNames(reserved: TypeScriptFile.reserved.union(own))
        var names: [String: String] = [:]
        for definition in contract.definitions where !definition.schema.form.isForeign {
            names[definition.name] = scope.type(definition.name)
        }
        self.contract = contract
        self.names = names
        written = contract.definitionsWrittenByClients
    }

    /// Returns a type on one line.
    ///
    /// - Parameters:
    ///   - isWritten: whether clients write the value.
    ///   - namespace: the namespace to prefix to the names of definitions; nil inside of that namespace.
    func type(_ schema: Schema, isWritten: Bool, from namespace: String? = nil) -> String {
        let schema = schema.plain
        func type(_ schema: Schema) -> String { self.type(schema, isWritten: isWritten, from: namespace) }
        switch schema.form {
        case .anything, .custom: return "unknown"
        case .nothing: return "never"
        case .boolean: return "boolean"
        case .integer(let minimum, let maximum): return Self.isExact(minimum, maximum) ? "number" : "Int64"
        case .number: return "number"
        case .string(let form): return Self.type(form)
        case .rawValues(let values): return Self.union(values.map { Self.literal($0.value) })
        case .array(let element): return "\(Self.operand(type(element)))[]"
        case .tuple(let elements): return "[\(elements.map(type).joined(separator: ", "))]"
        case .either(let forms): return Self.union(forms.map(type))
        case .dictionary(let value, _): return "{ [key: string]: \(type(value)) }"
        case .object(let members):
            let texts = members.map { member($0, isWritten: isWritten, from: namespace) }
            return texts.isEmpty ? "Empty" : "{ \(texts.joined(separator: "; ")) }"
        case .nullable(let value): return Self.union([type(value), "null"])
        case .cases(let cases, let shape): return Self.union(cases.map { type(Self.object(of: $0, shape)) })
        case .reference(let name):
            guard let own = names[name] else { return contract.definition(name).map(type) ?? "unknown" }
            return namespace.map { "\($0).\(own)" } ?? own
        }
    }

    /// Returns a member of an object type, without the semicolon.
    func member(_ member: Schema.Member, isWritten: Bool, from namespace: String? = nil) -> String {
        let name = Self.memberName(member.name)
        let schema = member.schema
        guard !member.isRequired else { return "\(name): \(type(schema, isWritten: isWritten, from: namespace))" }
        // The server leaves out members that are nil, so they are never null.
        let value = if case .nullable(let value) = schema.form { value } else { schema }
        let text = type(value, isWritten: isWritten, from: namespace)
        return "\(name)?: \(isWritten ? Self.union([text, "null"]) : text)"
    }

    private static func object(of one: Schema.Case, _ shape: Schema.CaseShape) -> Schema {
        switch shape {
        case .flat:
            let kind = Schema.Member("kind", Schema(.rawValues([Schema.RawValue(.string(one.kind))])))
            return Schema(.object([kind] + one.members))
        case .keyed: return Schema(.object([Schema.Member(one.kind, Schema(.object(one.members)))]))
        }
    }

    private static func union(_ types: [String]) -> String { types.isEmpty ? "never" : types.joined(separator: " | ") }

    private static func operand(_ type: String) -> String { type.contains("|") ? "(\(type))" : type }

    private static func type(_ form: Schema.StringForm) -> String {
        switch form {
        case .any: "string"
        case .dateTime: "DateTime"
        case .uri: "URLReference"
        case .uuid: "UUID"
        case .base64: "Base64"
        }
    }

    /// Whether JavaScript's numbers hold all integers within these bounds exactly.
    private static func isExact(_ minimum: Int64, _ maximum: UInt64) -> Bool {
        minimum >= -(1 << 53) && maximum <= 1 << 53
    }

    static func literal(_ value: JSONTree) -> String {
        if case .string(let text) = value { SourceLiteral.quoted(text) } else { value.line }
    }

    /// Returns a member's name, in quotes unless it is an identifier.
    static func memberName(_ name: String) -> String {
        let isPlain = name.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"): true
            case UInt8(ascii: "0")...UInt8(ascii: "9"): true
            default: false
            }
        }
        let startsWithDigit = name.utf8.first.map { $0 <= UInt8(ascii: "9") } ?? true
        return isPlain && !startsWithDigit ? name : SourceLiteral.quoted(name)
    }
}
