extension ViewModelContract {
    /// The definitions that are part of what clients write.
    var definitionsWrittenByClients: Set<String> {
        var names: Set<String> = []
        var open = arguments.references + viewEvent.references
        while let name = open.popLast() {
            guard names.insert(name).inserted, let schema = definition(name) else { continue }
            open += schema.references
        }
        return names
    }

    /// Whether a client can open it.
    var canBeOpened: Bool { arguments.form != .nothing }

    /// Whether it can be opened with an object that has no members.
    var takesEmptyArguments: Bool { isEmptyObjectValid(arguments, depth: 0) }

    private func isEmptyObjectValid(_ schema: Schema, depth: Int) -> Bool {
        switch schema.form {
        case .object(let members): return members.allSatisfy { !$0.isRequired }
        case .dictionary, .anything: return true
        case .nullable(let value): return isEmptyObjectValid(value, depth: depth)
        case .reference(let name):
            // A definition that is only another name for itself has no value.
            guard depth < definitions.count, let schema = definition(name) else { return false }
            return isEmptyObjectValid(schema, depth: depth + 1)
        case .custom: return schema.plain.form == .anything
        default: return false
        }
    }
}

extension Schema {
    /// The definitions that it names.
    fileprivate var references: [String] {
        switch form {
        case .reference(let name): [name]
        case .array(let value), .nullable(let value), .dictionary(let value, _): value.references
        case .object(let members): members.flatMap(\.schema.references)
        case .cases(let cases, _): cases.flatMap { $0.members.flatMap(\.schema.references) }
        default: []
        }
    }
}
