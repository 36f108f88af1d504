import JSON

extension SchemaReader {
    /// What a keyword asks for; nil when that is said by another keyword beside it.
    mutating func rule(
        _ keyword: String, _ value: ExactJSON, of schema: ExactJSON, at place: Place
    ) throws(SchemaError) -> Rule? {
        let here = place.appending(keyword)
        switch keyword {
        case "type": return .kinds(try kinds(value, at: here))
        case "const": return .values([value])
        case "enum": return .values(try elements(value, at: here))
        case "minimum": return .minimum(try number(value, at: here), isExclusive: false)
        case "exclusiveMinimum": return .minimum(try number(value, at: here), isExclusive: true)
        case "maximum": return .maximum(try number(value, at: here), isExclusive: false)
        case "exclusiveMaximum": return .maximum(try number(value, at: here), isExclusive: true)
        case "multipleOf":
            let divisor = try number(value, at: here)
            guard divisor.isDivisor else { throw SchemaError(place: here.text, reason: "is no divisor: \(value)") }
            return .multiple(of: divisor)
        case "pattern": return .pattern(try pattern(value.string, at: here))
        case "uniqueItems":
            guard case .boolean(let isUnique) = value else {
                throw SchemaError(place: here.text, reason: "is no boolean")
            }
            return isUnique ? .uniqueItems : nil
        case "required": return .required(try names(value, at: here))
        case "dependentRequired": return .dependentRequired(try dependencies(value, at: here))
        case "dependentSchemas": return .dependentSchemas(try namedSchemas(value, at: here))
        case "propertyNames": return .propertyNames(try self.schema(value, at: here))
        case "allOf": return .all(try schemas(value, at: here))
        case "anyOf": return .any(try schemas(value, at: here))
        case "oneOf": return .one(try schemas(value, at: here))
        case "not": return .not(try self.schema(value, at: here))
        default:
            if let bound = SizeBound(rawValue: keyword) { return .size(bound, try count(value, at: here)) }
            return try groupedRule(keyword, value, of: schema, at: place)
        }
    }

    /// Keywords that mean something together: the first of them that is there has the rule.
    private mutating func groupedRule(
        _ keyword: String, _ value: ExactJSON, of schema: ExactJSON, at place: Place
    ) throws(SchemaError) -> Rule? {
        let groups = [
            ["properties", "patternProperties", "additionalProperties"], ["items", "prefixItems"],
            ["contains", "minContains", "maxContains"], ["if", "then", "else"],
        ]
        guard let group = groups.first(where: { $0.contains(keyword) }) else {
            throw SchemaError(place: place.appending(keyword).text, reason: "isn't supported, or is no keyword here")
        }
        guard group.first(where: { schema[$0] != nil }) == keyword else { return nil }
        switch group[0] {
        case "properties":
            return .properties(
                named: try schema["properties"].map { tree throws(SchemaError) in
                    try namedSchemas(tree, at: place.appending("properties"))
                } ?? [:],
                patterns: try patterns(schema["patternProperties"], at: place.appending("patternProperties")),
                others: try optionalSchema("additionalProperties", of: schema, at: place))
        case "items":
            return .items(
                prefix: try schema["prefixItems"].map { tree throws(SchemaError) in
                    try schemas(tree, at: place.appending("prefixItems"))
                } ?? [],
                others: try optionalSchema("items", of: schema, at: place))
        case "contains":
            let minimum = try optionalCount("minContains", of: schema, at: place)
            let maximum = try optionalCount("maxContains", of: schema, at: place)
            guard let contained = try optionalSchema("contains", of: schema, at: place) else { return nil }
            return .contains(contained, minimum: minimum ?? 1, maximum: maximum)
        default:
            let then = try optionalSchema("then", of: schema, at: place)
            let otherwise = try optionalSchema("else", of: schema, at: place)
            guard let condition = try optionalSchema("if", of: schema, at: place) else { return nil }
            return .condition(condition, then: then, otherwise: otherwise)
        }
    }

    private mutating func optionalSchema(
        _ keyword: String, of schema: ExactJSON, at place: Place
    ) throws(SchemaError) -> Int? {
        guard let tree = schema[keyword] else { return nil }
        return try self.schema(tree, at: place.appending(keyword))
    }

    private func optionalCount(_ keyword: String, of schema: ExactJSON, at place: Place) throws(SchemaError) -> Int? {
        guard let tree = schema[keyword] else { return nil }
        return try count(tree, at: place.appending(keyword))
    }
}
