extension ViewModelContract {
    /// With definitions, and references to them, under names that are as short as they can be.
    func named(_ definitions: [(name: TypeName, schema: Schema)]) -> ViewModelContract {
        let names = Self.names(of: definitions.map(\.name))
        func renamed(_ schema: Schema) -> Schema { schema.mapReferences { names[$0] ?? $0 } }
        var contract = self
        contract.arguments = renamed(arguments)
        contract.viewEvent = renamed(viewEvent)
        contract.viewModelEvent = renamed(viewModelEvent)
        contract.definitions = definitions.map { Definition(names[$0.name.qualified] ?? "", renamed($0.schema)) }
            .sorted { $0.name < $1.name }
        return contract
    }

    /// By qualified names. Where two types are called the same, both take the name of what they are in before it.
    private static func names(of types: [TypeName]) -> [String: String] {
        var names: [String: String] = [:]
        var open = types
        var count = 1
        while !open.isEmpty {
            let shorts = Dictionary(grouping: open) { $0.short(count) }
            open = []
            for (short, types) in shorts {
                if types.count == 1 || count > 8 {
                    for type in types { names[type.qualified] = types.count == 1 ? short : type.qualified }
                } else {
                    open += types
                }
            }
            count += 1
        }
        return names
    }
}

extension Schema {
    func mapReferences(_ name: (String) -> String) -> Schema {
        var schema = self
        switch form {
        case .reference(let old): schema.form = .reference(name(old))
        case .array(let element): schema.form = .array(element.mapReferences(name))
        case .nullable(let value): schema.form = .nullable(value.mapReferences(name))
        case .dictionary(let value, let keys): schema.form = .dictionary(value.mapReferences(name), keys: keys)
        case .object(let members): schema.form = .object(members.map { $0.mapReferences(name) })
        case .cases(let cases, let shape):
            schema.form = .cases(
                cases.map { Case($0.kind, $0.members.map { $0.mapReferences(name) }, description: $0.description) },
                shape)
        default: break
        }
        return schema
    }
}

extension Schema.Member {
    func mapReferences(_ name: (String) -> String) -> Schema.Member {
        Schema.Member(self.name, schema.mapReferences(name), isRequired: isRequired)
    }
}
