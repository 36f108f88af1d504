import JSON

extension ContractBuilder {
    mutating func schema(of member: TypeShape.Member) -> Schema {
        let schema = schema(of: member.type)
        return member.isOptional ? Schema(.nullable(schema)) : schema
    }

    /// Types that have a name of their own are defined later, once each.
    mutating func schema(of type: any Decodable.Type) -> Schema {
        if let known = KnownForm.of(type) { return schema(of: known) }
        if let container = type as? any ContainerForm.Type, let (element, form) = Self.contents(container) {
            return Schema(form(schema(of: element)))
        }
        let name = TypeName(type)
        if name.isLibrarys, !(type is any SchemaProviding.Type) { return refuse(name, nil, ProbeError.unknown.reason) }
        guard name.depth <= TypeName.greatestDepth else {
            return refuse(name, nil, "it holds itself with ever larger generic arguments")
        }
        guard let one = known[name] else {
            known[name] = ObjectIdentifier(type)
            pending.append((type, part))
            return Schema(.reference(name.qualified))
        }
        guard one == ObjectIdentifier(type) else {
            return refuse(name, nil, "another type that is private, or in a function, is called so too")
        }
        return Schema(.reference(name.qualified))
    }

    private mutating func schema(of known: KnownForm) -> Schema {
        guard known.isDefined else { return Schema(known.form) }
        let name = TypeName(known.type)
        if self.known.updateValue(ObjectIdentifier(known.type), forKey: name) == nil {
            definitions.append((name, Schema(known.form)))
        }
        return Schema(.reference(name.qualified))
    }

    private static func contents<C: ContainerForm>(
        _ type: C.Type
    ) -> (any Decodable.Type, (Schema) -> Schema.Form)? { C.contents }

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
        try documentation.checkCoding(name)
        let shape = try TypeShape.of(type)
        try documentation.checkNames(name, shape)
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
