/// The TypeScript namespace of one view model's types.
struct TypeScriptNamespace {
    let contract: ViewModelContract
    let name: String
    private let types: TypeScriptTypes

    init(_ contract: ViewModelContract, name: String) {
        self.contract = contract
        self.name = name
        types = TypeScriptTypes(contract)
    }

    /// The type of the arguments, as it is written outside of the namespace.
    var arguments: String {
        contract.arguments.form == .object([])
            ? "Empty" : types.type(contract.arguments, isWritten: true, from: name)
    }

    func write(into source: inout SourceText) {
        source.typeScriptComment(contract.description)
        source.line("export namespace \(name) {")
        source.indented { source in
            for definition in contract.definitions {
                guard let name = types.names[definition.name] else { continue }
                write(definition.schema, name, types.written.contains(definition.name), into: &source)
                source.line()
            }
            write(contract.viewEvent, "ViewEvent", true, into: &source)
            source.line()
            write(contract.viewModelEvent, "ViewModelEvent", false, into: &source)
            if !contract.lists.isEmpty { writeLists(into: &source) }
        }
        source.line("}")
    }

    private func writeLists(into source: inout SourceText) {
        source.line()
        source.typeScriptComment("The rows of each list, by its name.")
        source.line("interface Lists {")
        source.indented { source in
            write(contract.lists.map { Schema.Member($0.name, $0.row) }, false, into: &source)
        }
        source.line("}")
    }

    private func write(_ schema: Schema, _ name: String, _ isWritten: Bool, into source: inout SourceText) {
        source.typeScriptComment(schema.description)
        switch schema.plain.form {
        case .object(let members) where !members.isEmpty:
            source.line("interface \(name) {")
            source.indented { write(members, isWritten, into: &$0) }
            source.line("}")
        case .cases(let cases, let shape) where !cases.isEmpty:
            source.line("type \(name) =")
            source.indented { source in
                for (index, one) in cases.enumerated() {
                    write(one, shape, isWritten, isLast: index == cases.count - 1, into: &source)
                }
            }
        case .rawValues(let values) where values.contains { $0.description != nil }:
            source.line("type \(name) =")
            source.indented { source in
                for (index, value) in values.enumerated() {
                    source.typeScriptComment(value.description)
                    let end = index == values.count - 1 ? ";" : ""
                    source.line("| \(TypeScriptTypes.literal(value.value))\(end)")
                }
            }
        default:
            source.line("type \(name) = \(types.type(schema, isWritten: isWritten));")
        }
    }

    private func write(
        _ one: Schema.Case, _ shape: Schema.CaseShape, _ isWritten: Bool, isLast: Bool, into source: inout SourceText
    ) {
        let end = isLast ? ";" : ""
        source.line("| {")
        source.indented { source in
            source.indented { source in
                source.typeScriptComment(one.comment)
                switch shape {
                case .flat:
                    source.line("kind: \(SourceLiteral.quoted(one.kind));")
                    write(one.members, isWritten, into: &source)
                case .keyed:
                    let values = types.type(Schema(.object(one.members)), isWritten: isWritten)
                    source.line("\(TypeScriptTypes.memberName(one.kind)): \(values);")
                }
            }
            source.line("}\(end)")
        }
    }

    private func write(_ members: [Schema.Member], _ isWritten: Bool, into source: inout SourceText) {
        for member in members {
            source.typeScriptComment(member.schema.description)
            source.line("\(types.member(member, isWritten: isWritten));")
        }
    }
}

extension SourceText {
    /// Adds a doc comment, unless the description is missing or empty.
    package mutating func typeScriptComment(_ description: String?) {
        guard let description, !description.isEmpty else { return }
        let lines = Self.comment(description, width: room - 7).map { line in
            Self.escaped(line) { $0 == "*" && $1 == "/" }
        }
        guard lines.count > 1 else { return line("/** \(lines.first ?? "") */") }
        line("/**")
        for text in lines { line(text.isEmpty ? " *" : " * \(text)") }
        line(" */")
    }
}
