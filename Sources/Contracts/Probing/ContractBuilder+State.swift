import ViewModels

/// The description of a durable view model's stored state.
extension ContractBuilder {
    /// What is stored of the sessions of a durable view model.
    package struct State: Sendable {
        package enum Form: Sendable {
            /// A member for each saved property, under its stored name.
            case properties([(name: String, type: any Any.Type)])
            /// A value of one type for the whole state.
            case whole(any Any.Type)
        }

        let version: Int
        let form: Form
        /// The type of arguments that are stored without being in a client's contract; nil if there are none.
        let arguments: (any Any.Type)?
        /// The version of stored arguments, whether a client or another view model gave them.
        let argumentsVersion: Int

        package init(version: Int, form: Form, arguments: (any Any.Type)? = nil, argumentsVersion: Int = 1) {
            self.version = version
            self.form = form
            self.arguments = arguments
            self.argumentsVersion = argumentsVersion
        }
    }

    /// Returns the schema of a state. Types that events have, too, are already described.
    mutating func schema(of state: State, _ model: any Any.Type) -> ViewModelContract.State {
        part = ContractProblem.statePart
        let schema: Schema
        switch state.form {
        case .whole(let type): schema = stored(type)
        case .properties(let values): schema = Schema(.object(members(of: values, model)))
        }
        let arguments = state.arguments.map { stored($0) }
        return ViewModelContract.State(
            version: state.version, schema: schema, isWhole: state.form.isWhole, arguments: arguments,
            argumentsVersion: state.argumentsVersion)
    }

    mutating func schema(of shared: SharedObject) -> ViewModelContract.Shared {
        part = ContractProblem.sharedPart
        var schema = Schema(.object(members(of: shared.properties, shared.type)))
        schema.description = comment(TypeName(shared.type).path)
        return ViewModelContract.Shared(name: shared.name, version: shared.version, schema: schema)
    }

    /// Returns the members for saved properties. None is required: a property that isn't in the store keeps its initial value.
    ///
    /// - Parameter values: the properties' types by stored name.
    private mutating func members(of values: [(name: String, type: any Any.Type)], _ model: any Any.Type)
        -> [Schema.Member]
    {
        let path = TypeName(model).path
        let properties = SavedNames(of: model)
        var names: Set<String> = []
        return values.compactMap { name, type in
            let property = properties.property(name)
            guard names.insert(name).inserted else {
                let reason = "it can't be saved, since a superclass has a saved property of this name"
                _ = fail(TypeName(model), property, reason)
                return nil
            }
            guard type is any Codable.Type else {
                let reason = "it can't be saved, since \(TypeName(type).qualified) isn't Codable"
                return Schema.Member(name, fail(TypeName(model), property, reason), isRequired: false)
            }
            var schema = stored(type)
            if let comment = comment(path + [property]) { schema.description = comment }
            return Schema.Member(name, schema, isRequired: false)
        }
    }

    private mutating func stored(_ type: any Any.Type) -> Schema {
        if let rows = type as? any SavedRowsForm.Type {
            let count = Schema(.integer(minimum: 0, maximum: UInt64(Int.max)), description: Self.madeRows)
            return Schema(.either([Schema(.array(schema(of: rows.rowType))), count]))
        }
        guard let type = type as? any Decodable.Type else { return fail(TypeName(type), nil, "it isn't Codable") }
        return schema(of: type)
    }

    private static let madeRows = "How many rows there are, where they are made on demand."

    private mutating func fail(_ type: TypeName, _ member: String?, _ reason: String) -> Schema {
        refuse(type, member, reason, isError: true)
    }
}

extension ContractBuilder.State.Form {
    fileprivate var isWhole: Bool {
        if case .whole = self { true } else { false }
    }
}
