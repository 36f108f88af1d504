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
        var taken: Set<String> = []
        var open = types
        for count in [1, 2, 3, 4, nil] {
            let shorts = Dictionary(grouping: open) { $0.short(count) }
            open = open.filter { type in
                let short = type.short(count)
                guard shorts[short]?.count == 1, taken.insert(short).inserted else { return true }
                names[type.qualified] = short
                return false
            }
        }
        // Names that differ in nothing but what had to be left out.
        for type in open.sorted(by: { $0.qualified < $1.qualified }) {
            let short = type.short(nil)
            let number = (2...).first { !taken.contains("\(short)\($0)") } ?? 2
            taken.insert("\(short)\(number)")
            names[type.qualified] = "\(short)\(number)"
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
