import JSON

// What keywords have for values.
extension SchemaReader {
    func number(_ value: ExactJSON, at place: Place) throws(SchemaError) -> ExactNumber {
        guard case .number(let number) = value else { throw SchemaError(place: place.text, reason: "is no number") }
        return number
    }

    func count(_ value: ExactJSON, at place: Place) throws(SchemaError) -> Int {
        guard let count = try number(value, at: place).count else {
            throw SchemaError(place: place.text, reason: "is no count: \(value)")
        }
        return count
    }

    func elements(_ value: ExactJSON, at place: Place) throws(SchemaError) -> [ExactJSON] {
        guard let elements = value.elements else { throw SchemaError(place: place.text, reason: "is no array") }
        return elements
    }

    func names(_ value: ExactJSON, at place: Place) throws(SchemaError) -> [ExactString] {
        try elements(value, at: place).map { element throws(SchemaError) in
            guard case .string(let name) = element else {
                throw SchemaError(place: place.text, reason: "has \(element), which is no name")
            }
            return name
        }
    }

    func members(_ value: ExactJSON, at place: Place) throws(SchemaError) -> [(name: String, value: ExactJSON)] {
        guard let members = value.members else { throw SchemaError(place: place.text, reason: "is no object") }
        return members
    }

    func kinds(_ value: ExactJSON, at place: Place) throws(SchemaError) -> [InstanceKind] {
        let names = if let name = value.string { [ExactString(name)] } else { try self.names(value, at: place) }
        return try names.map { name throws(SchemaError) in
            guard let kind = InstanceKind(rawValue: name.string) else {
                throw SchemaError(place: place.text, reason: "is no type: \"\(name.string)\"")
            }
            return kind
        }
    }

    func pattern(_ text: String?, at place: Place) throws(SchemaError) -> Pattern {
        guard let text else { throw SchemaError(place: place.text, reason: "is no string") }
        do {
            return try Pattern(text)
        } catch {
            throw SchemaError(place: place.text, reason: "is no regular expression that Swift knows: \(error)")
        }
    }

    func dependencies(_ value: ExactJSON, at place: Place) throws(SchemaError) -> [ExactString: [ExactString]] {
        var dependencies: [ExactString: [ExactString]] = [:]
        for (name, others) in try members(value, at: place) {
            dependencies[ExactString(name)] = try names(others, at: place.appending(name))
        }
        return dependencies
    }

    mutating func schemas(_ value: ExactJSON, at place: Place) throws(SchemaError) -> [Int] {
        var schemas: [Int] = []
        for (index, tree) in try elements(value, at: place).enumerated() {
            schemas.append(try schema(tree, at: place.appending("\(index)")))
        }
        return schemas
    }

    mutating func namedSchemas(_ value: ExactJSON, at place: Place) throws(SchemaError) -> [ExactString: Int] {
        var schemas: [ExactString: Int] = [:]
        for (name, tree) in try members(value, at: place) {
            schemas[ExactString(name)] = try schema(tree, at: place.appending(name))
        }
        return schemas
    }

    mutating func patterns(_ value: ExactJSON?, at place: Place) throws(SchemaError) -> [(Pattern, Int)] {
        guard let value else { return [] }
        var patterns: [(Pattern, Int)] = []
        for (text, tree) in try members(value, at: place) {
            let here = place.appending(text)
            patterns.append((try pattern(text, at: here), try schema(tree, at: here)))
        }
        return patterns
    }
}
