/// A frozen dataclass with its methods `to_json` and `from_json`.
struct PythonRecord {
    enum Shape: Equatable {
        case object
        /// An event of this kind.
        case flat(String)
        /// One case of an enum in an event.
        case keyed(String)
    }

    private struct Field {
        let member: Schema.Member
        let name: String
        /// The member's schema. For an optional member it is without null, since `None` means that the member is left out.
        let schema: Schema
        var isOptional: Bool { !member.isRequired }
        var wireName: String { SourceLiteral.quoted(member.name) }
    }

    /// The names of the outer classes and of this one, from the outermost.
    private let path: [String]
    private let description: String?
    private let shape: Shape
    private let fields: [Field]
    private let types: PythonTypes

    init(
        _ path: [String], _ members: [Schema.Member], _ description: String?, _ shape: Shape, _ types: PythonTypes
    ) {
        let own: Set = ["from_json", "to_json", "self", types.namespace]
        var names = SourceNames(reserved: PythonTypes.reserved.union(own).union(shape == .object ? [] : ["kind"]))
        self.path = path
        self.description = description
        self.shape = shape
        self.types = types
        fields = members.map { member in
            var schema = member.schema
            if !member.isRequired, case .nullable(let value) = schema.form { schema.form = value.form }
            return Field(
                member: member, name: names.member(Self.name(of: member, in: shape)), schema: schema)
        }
    }

    /// Returns a member's name in Python. A value without a label has the same name in an event as in a case, where it is `_0`
    /// on the wire.
    private static func name(of member: Schema.Member, in shape: Shape) -> String {
        guard case .keyed = shape, member.name.hasPrefix("_"), let index = UInt(member.name.dropFirst()) else {
            return member.name
        }
        return index == 0 ? "value" : "value\(index)"
    }

    func write(into source: inout SourceText) {
        source.line("@dataclass(frozen=True)")
        source.line("class \(path.last ?? ""):")
        source.indented { source in
            source.pythonComment(description)
            source.gap()
            writeFields(into: &source)
            writeWriter(into: &source)
            source.line()
            writeReader(into: &source)
        }
    }

    private func writeFields(into source: inout SourceText) {
        switch shape {
        case .object: break
        case .flat(let kind), .keyed(let kind):
            let kind = SourceLiteral.quoted(kind)
            source.line("kind: ClassVar[Literal[\(kind)]] = \(kind)")
        }
        // Python demands required fields first.
        for field in fields.filter({ !$0.isOptional }) + fields.filter(\.isOptional) {
            let type = types.type(field.schema)
            source.line("\(field.name): \(field.isOptional ? "Optional[\(type)] = None" : type)")
            source.pythonComment(field.member.schema.description)
        }
        source.gap()
    }

    private func writeWriter(into source: inout SourceText) {
        source.line("def to_json(self) -> Dict[str, Any]:")
        source.indented { source in
            var members = fields.filter { !$0.isOptional }.map { "\($0.wireName): \(value($0))" }
            if case .flat = shape { members.insert("\"kind\": self.kind", at: 0) }
            let optional = fields.filter(\.isOptional)
            let object = "{\(members.joined(separator: ", "))}"
            guard !optional.isEmpty else { return source.line("return \(wrapped(object))") }
            source.line("json: Dict[str, Any] = \(object)")
            for field in optional {
                source.line("if self.\(field.name) is not None:")
                source.indented { $0.line("json[\(field.wireName)] = \(value(field))") }
            }
            source.line("return \(wrapped("json"))")
        }
    }

    private func value(_ field: Field) -> String {
        types.isPlain(field.schema) ? "self.\(field.name)" : "_json(self.\(field.name))"
    }

    private func wrapped(_ object: String) -> String {
        if case .keyed = shape { "{self.kind: \(object)}" } else { object }
    }

    private func writeReader(into source: inout SourceText) {
        let type = path.joined(separator: ".")
        source.line("@staticmethod")
        source.line("def from_json(json: Any) -> \(type):")
        source.indented { source in
            let members = fields.isEmpty ? "" : "members = "
            switch shape {
            case .object: source.line("\(members)_members(json)")
            case .flat(let kind): source.line("\(members)_event(json, \(SourceLiteral.quoted(kind)))")
            case .keyed(let kind):
                source.line("\(members)_member(_members(json), \(SourceLiteral.quoted(kind)), _members)")
            }
            guard !fields.isEmpty else { return source.line("return \(type)()") }
            source.line("return \(type)(")
            source.indented { source in
                for field in fields {
                    let read = field.isOptional ? "_optional" : "_member"
                    source.line(
                        "\(field.name)=\(read)(members, \(field.wireName), \(types.reader(field.schema))),")
                }
            }
            source.line(")")
        }
    }
}
