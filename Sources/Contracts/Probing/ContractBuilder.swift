/// Makes the contracts of view models from their types.
package struct ContractBuilder {
    /// What a view model is opened with.
    package enum Arguments: Sendable {
        case none
        case decoded(any Any.Type)
        /// Only other view models can show it.
        case undecodable
    }

    /// What a view model's Views are told.
    package enum Events: Sendable {
        case cases(any Any.Type)
        /// One for each property, with its value.
        case values([(name: String, type: any Any.Type)])
    }

    let documentation: Documentation
    /// Of all contracts so far.
    package private(set) var problems: [ContractProblem] = []
    private var viewModel = ""
    var part = ""
    var definitions: [(name: TypeName, schema: Schema)] = []
    var pending: [(type: any Decodable.Type, part: String)] = []
    /// Those that are defined, or will be, by what they are called.
    var known: [TypeName: ObjectIdentifier] = [:]

    package init(_ documentation: Documentation = Documentation()) {
        self.documentation = documentation
    }

    /// - Parameter model: the view model's own type, whose doc comment says what it is for.
    package mutating func contract(
        of name: String, _ model: any Any.Type, arguments: Arguments, viewEvent: any Any.Type, events: Events
    ) -> ViewModelContract {
        viewModel = name
        (definitions, pending, known) = ([], [], [:])
        part = "arguments"
        let arguments = schema(of: arguments)
        part = "viewEvent"
        let viewEvent = event(viewEvent)
        part = "viewModelEvent"
        let viewModelEvent = schema(of: events, model)
        while let next = pending.popLast() {
            part = next.part
            define(next.type)
        }
        let contract = ViewModelContract(
            name: name, description: comment(TypeName(model).path), arguments: arguments, viewEvent: viewEvent,
            viewModelEvent: viewModelEvent, definitions: [])
        return contract.named(definitions)
    }
}

extension ContractBuilder {
    private mutating func schema(of arguments: Arguments) -> Schema {
        switch arguments {
        case .none: Schema(.object([]), description: "It takes none.")
        case .undecodable: Schema(.nothing, description: "Only other view models can show it.")
        case .decoded(let type):
            (type as? any Decodable.Type).map { schema(of: $0) } ?? refuse(TypeName(type), nil, Self.notDecodable)
        }
    }

    private mutating func schema(of events: Events, _ model: any Any.Type) -> Schema {
        switch events {
        case .cases(let type): return event(type)
        case .values(let values):
            let path = TypeName(model).path
            let cases = values.map { name, type in
                let member = value(type, path, name)
                return Schema.Case(name, [member], description: comment(path + [name]))
            }
            return Schema(.cases(cases, .flat))
        }
    }

    /// The one member of an event that is a property's new value.
    private mutating func value(_ type: any Any.Type, _ path: [String], _ name: String) -> Schema.Member {
        guard let type = type as? any Decodable.Type else {
            return Schema.Member("value", refuse(TypeName(type), nil, Self.notDecodable))
        }
        let schema = schema(of: type)
        guard case .nullable(let value) = schema.form else { return Schema.Member("value", schema) }
        return Schema.Member("value", value, isRequired: false)
    }

    private mutating func event(_ type: any Any.Type) -> Schema {
        let name = TypeName(type)
        guard let decodable = type as? any Decodable.Type else { return refuse(name, nil, Self.notDecodable) }
        if decodable == Never.self { return Schema(.nothing) }
        do throws(ProbeError) {
            return try eventSchema(decodable, name)
        } catch {
            return refuse(error.type ?? name, nil, error.reason)
        }
    }

    private mutating func eventSchema(_ type: any Decodable.Type, _ name: TypeName) throws(ProbeError) -> Schema {
        try documentation.checkCoding(name)
        let description = comment(name.path)
        let shape = try TypeShape.of(type)
        try documentation.checkNames(name, shape)
        switch shape {
        case .rawValues(let values):
            let cases = values.compactMap { value -> Schema.Case? in
                guard case .string(let kind) = value.value else { return nil }
                return Schema.Case(kind, description: comment(name.path + [value.name]))
            }
            guard cases.count == values.count else { throw ProbeError(reason: "an event's kind is a string") }
            return Schema(.cases(cases, .flat), description: description)
        case .cases(let cases):
            return Schema(
                .cases(cases.map { member in schemaCase(member, name, .flat) }, .flat), description: description)
        case .object, .value: throw ProbeError(reason: "an event must be an enum")
        }
    }

    mutating func schemaCase(
        _ found: TypeShape.Case, _ type: TypeName, _ shape: Schema.CaseShape
    ) -> Schema.Case {
        let path = type.path + [found.name]
        let members = found.members.map { member in
            if shape == .flat, let clash = member.clash {
                return Schema.Member(member.eventName, refuse(type, found.name, clash))
            }
            return Schema.Member(
                shape == .flat ? member.eventName : member.name, schema(of: member), isRequired: !member.isOptional)
        }
        return Schema.Case(found.kind, members, description: comment(path))
    }

    private static let notDecodable = "it is only Encodable, so its form can't be tried out: make it Codable"

    func comment(_ path: [String]) -> String? { documentation.comment(path) }

    mutating func refuse(_ type: TypeName, _ member: String?, _ reason: String) -> Schema {
        problems.append(
            ContractProblem(viewModel: viewModel, part: part, type: type.qualified, member: member, reason: reason))
        return Schema(.anything, description: "Not known: \(type.qualified): \(reason).")
    }
}
