import JSON

/// Makes the contracts of view models from their types. One builder can make several, one after another.
package struct ContractBuilder {
    /// The arguments that a view model is opened with.
    package enum Arguments: Sendable {
        case none
        case decoded(any Any.Type)
        /// Values that only other view models can pass, and no client.
        case others
    }

    /// The events that a view model sends.
    package enum Events: Sendable {
        case cases(any Any.Type)
        /// One event for each property, which carries the property's value.
        case values([(name: String, type: any Any.Type)])
    }

    let documentation: Documentation
    /// The problems of all contracts so far. A contract is complete only if it added none.
    package private(set) var problems: [ContractProblem] = []
    private var viewModel = ""
    var part = ""
    /// The path from the module to the event's case, or the property, that is being described; nil outside of events and lists.
    var event: [String]?
    var definitions: [(name: TypeName, schema: Schema)] = []
    var pending: [(type: any Decodable.Type, part: String, event: [String]?)] = []
    /// The types that have a definition or are pending, by name.
    var known: [TypeName: ObjectIdentifier] = [:]

    package init(_ documentation: Documentation = Documentation()) {
        self.documentation = documentation
    }

    /// Returns a contract. Never fails: a type whose form isn't certain is described as unknown, and added to `problems`.
    ///
    /// - Parameters:
    ///   - name: the registered name.
    ///   - model: the view model's type, whose doc comment describes it.
    ///   - lists: the names of the lists and the types of their rows.
    ///   - state: the stored state; nil if the view model isn't durable.
    ///   - shared: the stored parts of the objects that it shares with other view models.
    package mutating func contract(
        of name: String, _ model: any Any.Type, arguments: Arguments, viewEvent: any Any.Type, events: Events,
        lists: [(name: String, row: any Any.Type)] = [], state: State? = nil, shared: [SharedObject] = []
    ) -> ViewModelContract {
        viewModel = name
        (definitions, pending, known) = ([], [], [:])
        part = "arguments"
        let arguments = schema(of: arguments)
        part = "viewEvent"
        let viewEvent = event(viewEvent)
        part = "viewModelEvent"
        var viewModelEvent = schema(of: events, model)
        let lists = describe(lists, of: model, addingTo: &viewModelEvent)
        definePending()
        // The state is described last, so that the names of definitions that clients know don't depend on it.
        let count = definitions.count
        let stored = state.map { schema(of: $0, model) }
        let storedShared = shared.map { schema(of: $0) }
        definePending()
        let contract = ViewModelContract(
            name: name, description: comment(TypeName(model).path), arguments: arguments, viewEvent: viewEvent,
            viewModelEvent: viewModelEvent, lists: lists, definitions: [], state: stored,
            shared: storedShared)
        return contract.named(definitions[..<count], ofState: definitions[count...]).withIdentitiesThatShow
    }

    private mutating func definePending() {
        while let next = pending.popLast() {
            (part, event) = (next.part, next.event)
            define(next.type)
        }
        event = nil
    }
}

extension ContractBuilder {
    private mutating func schema(of arguments: Arguments) -> Schema {
        switch arguments {
        case .none: Schema(.object([]), description: "It takes none.")
        case .others: Schema(.nothing, description: "Only other view models can show it.")
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
                event = path + [name]
                defer { event = nil }
                let member = value(type, path, name)
                return Schema.Case(name, [member], description: comment(path + [name]))
            }
            return Schema(.cases(cases, .flat))
        }
    }

    /// Returns the member of an event that carries a property's new value.
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
        let shape = try TypeShape.of(type, isEvent: true)
        try documentation.checkNames(name, shape)
        switch shape {
        case .rawValues(let values):
            let schedules = RawValues.schedules(of: type)
            let cases = values.compactMap { value -> Schema.Case? in
                guard case .string(let kind) = value.value else { return nil }
                return Schema.Case(
                    kind, description: comment(name.path + [value.name]), schedule: schedules[value.name])
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
        if shape == .flat { event = path }
        defer { if shape == .flat { event = nil } }
        if let problem = found.problem {
            let unknown = refuse(problem.type ?? type, problem.type == nil ? found.name : nil, problem.reason)
            let texts = [comment(path), unknown.description].compactMap { $0 }
            return Schema.Case(found.kind, [], description: texts.joined(separator: "\n\n"))
        }
        let members = found.members.map { member in
            if shape == .flat, let clash = member.clash {
                return Schema.Member(member.eventName, refuse(type, found.name, clash))
            }
            return Schema.Member(
                shape == .flat ? member.eventName : member.name, schema(of: member), isRequired: !member.isOptional)
        }
        return Schema.Case(found.kind, members, description: comment(path), schedule: found.schedule)
    }

    static let notDecodable = "it is only Encodable, so its form can't be tried out: make it Codable"

    func comment(_ path: [String]) -> String? { documentation.comment(path) }

    /// Adds a problem, and returns a schema that allows anything. Unless `isError` is given, the problem is an error if clients
    /// are told the part, since they need its form; the store doesn't.
    mutating func refuse(
        _ type: TypeName, _ member: String?, _ reason: String, isError: Bool? = nil
    ) -> Schema {
        problems.append(
            ContractProblem(
                viewModel: viewModel, part: part, event: event, type: type.qualified, member: member, reason: reason,
                isError: isError ?? !ContractProblem.storedParts.contains(part)))
        return Schema(.anything, description: "Not known: \(type.qualified): \(reason).")
    }
}

extension ContractBuilder {
    mutating func schema(of member: TypeShape.Member) -> Schema {
        let schema = schema(of: member.type)
        // An optional of an optional is null, too, so it isn't nullable twice.
        if case .nullable = schema.form { return schema }
        return member.isOptional ? Schema(.nullable(schema)) : schema
    }

    /// Returns the schema of a type: a reference if the type has a name of its own. Its definition is made later, once.
    mutating func schema(of type: any Decodable.Type) -> Schema {
        if let known = KnownForm.of(type) { return schema(of: known) }
        if let container = type as? any ContainerForm.Type, let contents = Self.contents(container) {
            return Schema(contents.form(contents.types.map { schema(of: $0) }))
        }
        let name = TypeName(type)
        if name.isLibrarys, !(type is any SchemaProviding.Type) { return refuse(name, nil, ProbeError.unknown.reason) }
        guard name.depth <= TypeName.greatestDepth else {
            return refuse(name, nil, "it holds itself with ever larger generic arguments")
        }
        guard let one = known[name] else {
            known[name] = ObjectIdentifier(type)
            pending.append((type, part, event))
            return Schema(.reference(name.qualified))
        }
        guard one == ObjectIdentifier(type) else {
            return refuse(name, nil, "another type that is private, or in a function, is called so too")
        }
        return Schema(.reference(name.qualified))
    }

    private mutating func schema(of known: KnownForm) -> Schema {
        guard known.isDefined else { return Schema(known.form, description: known.description) }
        let name = TypeName(known.type)
        if self.known.updateValue(ObjectIdentifier(known.type), forKey: name) == nil {
            definitions.append((name, Schema(known.form)))
        }
        return Schema(.reference(name.qualified))
    }

    private static func contents<C: ContainerForm>(
        _ type: C.Type
    ) -> (types: [any Decodable.Type], form: ([Schema]) -> Schema.Form)? { C.contents }

    mutating func define(_ type: any Decodable.Type) {
        let name = TypeName(type)
        do throws(ProbeError) {
            definitions.append((name, try schema(defining: type, name)))
        } catch {
            definitions.append((name, refuse(error.type ?? name, nil, error.reason)))
        }
    }

    private mutating func schema(defining type: any Decodable.Type, _ name: TypeName) throws(ProbeError) -> Schema {
        let description = comment(name.path)
        if let type = type as? any SchemaProviding.Type { return try Self.schema(givenBy: type, description) }
        let shape = try documentation.shape(of: type, name)
        switch shape {
        case .object(let members):
            let members = members.map { member in
                var schema = schema(of: member)
                if let comment = comment(name.path + [member.property]) { schema.description = comment }
                return Schema.Member(member.name, schema, isRequired: !member.isOptional)
            }
            return Schema(.object(members), description: description)
        case .cases(let cases):
            return Schema(.cases(cases.map { schemaCase($0, name, .keyed) }, .keyed), description: description)
        case .rawValues(let values):
            let values = values.map { Schema.RawValue($0.value, description: comment(name.path + [$0.name])) }
            return Schema(.rawValues(values), description: description)
        case .value(let type):
            var schema = schema(of: type)
            schema.description = description
            return schema
        }
    }

    private static func schema(
        givenBy type: any SchemaProviding.Type, _ description: String?
    ) throws(ProbeError) -> Schema {
        do {
            let json = try JSONTree(parsing: type.schema)
            guard case .object = json else { throw ProbeError(reason: "its schema is no object") }
            return Schema(.custom(json), description: description)
        } catch let error as ProbeError {
            throw error
        } catch {
            throw ProbeError(reason: "its schema is no JSON: \(error)")
        }
    }
}

/// A problem with a type whose form isn't certain, so that its view model has no contract, or no contract for its state.
package struct ContractProblem: Sendable, Equatable {
    /// The view model's registered name.
    package let viewModel: String
    /// The part of the contract that uses the type: `viewModelEvent`, `arguments`, `list`, `state`, …
    package let part: String
    /// The path from the module to the event's case, or the property, that uses the type; nil outside of events and lists.
    package var event: [String]?
    /// The type's name with its module: `Shop.Money`.
    package let type: String
    /// The property or case of that type, as named in Swift; nil for the type itself.
    package let member: String?
    package let reason: String
    static let statePart = "state"
    static let sharedPart = "shared"
    static let storedParts = [statePart, sharedPart]
    /// Whether the problem is about stored state, which clients aren't told.
    package var isOfStored: Bool { Self.storedParts.contains(part) }
    /// Whether the problem is an error. Otherwise all works, but changes of the type aren't noticed.
    package var isError = true
}

extension Documentation {
    /// Returns the place in the source where the type of a problem encodes itself, or is declared; nil if neither is known.
    package func place(of problem: ContractProblem) -> Place? {
        let path = TypeName.path(problem.type)
        return coding(path) ?? place(path + [problem.member].compactMap { $0 }) ?? placeOfEvent(problem)
    }

    /// Returns the place in the source where the event of a problem is declared; nil if unknown.
    package func placeOfEvent(_ problem: ContractProblem) -> Place? { problem.event.flatMap { place($0) } }
}
