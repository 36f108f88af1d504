extension Schema {
    /// The form as a JSON Schema.
    package var json: JSONTree {
        switch form {
        case .anything: annotated([])
        // An enum without cases has no value, and an empty `oneOf` would be invalid.
        case .nothing, .cases([], _): description == nil ? .boolean(false) : annotated([.init("not", .object([]))])
        default: annotated(keywords)
        }
    }

    /// The form as a JSON Schema in which an object has no other members than those that are named.
    var closedJSON: JSONTree {
        switch (form, json) {
        case (.object, .object(let keywords)): .object(keywords + [Self.closure])
        case (.cases(let cases, .keyed), _) where !cases.isEmpty:
            annotated([.init("oneOf", .array(cases.map { $0.json(.keyed, closure: [Self.closure]) }))])
        default: json
        }
    }

    private static let closure = JSONTree.Member("additionalProperties", .boolean(false))

    private func annotated(_ keywords: [JSONTree.Member]) -> JSONTree {
        .object((description.map { [.init("description", .string($0))] } ?? []) + keywords)
    }

    private var keywords: [JSONTree.Member] {
        switch form {
        case .anything, .nothing: []
        case .boolean: [Self.type("boolean")]
        case .integer(let minimum, let maximum):
            [
                Self.type("integer"), .init("minimum", .number("\(minimum)")), .init("maximum", .number("\(maximum)")),
            ]
        case .number: [Self.type("number")]
        case .string(let form): [Self.type("string")] + form.keywords
        case .rawValues(let values): Self.keywords(of: values)
        case .array(let element): [Self.type("array"), .init("items", element.json)]
        case .tuple(let elements): Self.keywords(ofTuple: elements)
        case .either(let forms): [.init("anyOf", .array(forms.map(\.json)))]
        case .dictionary(let value, let keys): Self.keywords(of: value, keys)
        case .object(let members): Self.keywords(of: members)
        case .nullable(let schema): Self.keywords(ofNullable: schema.json)
        case .cases(let cases, let shape): [.init("oneOf", .array(cases.map { $0.json(shape) }))]
        case .reference(let name): [.init("$ref", .string(JSONTree.reference(toDefinition: name)))]
        case .custom(.object(let members)): members.filter { description == nil || $0.name != "description" }
        case .custom(let other): [.init("allOf", .array([other]))]
        }
    }

    static func type(_ name: String) -> JSONTree.Member { .init("type", .string(name)) }

    private static func keywords(of values: [RawValue]) -> [JSONTree.Member] {
        guard values.contains(where: { $0.description != nil }) else {
            return [.init("enum", .array(values.map(\.value)))]
        }
        let each = values.map { value in
            Schema(.anything, description: value.description).annotated([.init("const", value.value)])
        }
        return [.init("oneOf", .array(each))]
    }

    private static func keywords(of value: Schema, _ keys: DictionaryKeys) -> [JSONTree.Member] {
        let names: [JSONTree.Member] =
            switch keys {
            case .any: []
            case .names(let names):
                [.init("propertyNames", .object([.init("enum", .array(names.map { .string($0) }))]))]
            case .integers: [.init("propertyNames", .object([.init("pattern", .string("^-?(0|[1-9][0-9]*)$"))]))]
            }
        return [type("object")] + names + [.init("additionalProperties", value.json)]
    }

    private static func keywords(ofTuple elements: [Schema]) -> [JSONTree.Member] {
        let count = JSONTree.number("\(elements.count)")
        let length: [JSONTree.Member] = [.init("minItems", count), .init("maxItems", count)]
        guard let first = elements.first, elements.allSatisfy({ $0 == first }) else {
            return [type("array"), .init("prefixItems", .array(elements.map(\.json)))] + length
        }
        return [type("array"), .init("items", first.json)] + length
    }

    private static func keywords(ofNullable schema: JSONTree) -> [JSONTree.Member] {
        guard case .object(var keywords) = schema, case .string(let name)? = schema["type"],
            let index = keywords.firstIndex(where: { $0.name == "type" }), schema["enum"] == nil
        else { return [.init("anyOf", .array([schema, .object([type("null")])]))] }
        keywords[index].value = .array([.string(name), .string("null")])
        return keywords
    }

    static func keywords(of members: [Member]) -> [JSONTree.Member] {
        let required = members.filter(\.isRequired).map { JSONTree.string($0.name) }
        return [type("object")]
            + (required.isEmpty ? [] : [.init("required", .array(required))])
            + (members.isEmpty
                ? [] : [.init("properties", .object(members.map { .init($0.name, $0.schema.json) }))])
    }
}

extension Schema.Case {
    /// The comment for clients: the case's description, and how its event is scheduled.
    var comment: String? {
        guard let schedule else { return description }
        return [description, "(\(schedule.words))"].compactMap { $0 }.joined(separator: "\n\n")
    }

    /// Returns the case as a JSON Schema.
    ///
    /// - Parameter closure: keywords to add to each object of a keyed case.
    func json(_ shape: Schema.CaseShape, closure: [JSONTree.Member] = []) -> JSONTree {
        var annotation: [JSONTree.Member] = description.map { [.init("description", .string($0))] } ?? []
        switch shape {
        case .flat:
            annotation += schedule?.keywords ?? []
            let kind = Schema.Member("kind", Schema(.custom(.object([.init("const", .string(self.kind))]))))
            return .object(annotation + Schema.keywords(of: [kind] + members))
        case .keyed:
            let values = JSONTree.object(Schema.keywords(of: members) + closure)
            return .object(
                annotation + [
                    Schema.type("object"), .init("required", .array([.string(kind)])),
                    .init("properties", .object([.init(kind, values)])),
                ] + closure)
        }
    }
}
