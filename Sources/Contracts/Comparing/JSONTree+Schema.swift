import ViewModels

// Readings of a schema that this module wrote to a file.

extension JSONTree {
    /// The schema without descriptions, which mean nothing to a validator.
    package var withoutDescriptions: JSONTree {
        switch self {
        case .array(let elements): .array(elements.map(\.withoutDescriptions))
        case .object(let members):
            .object(
                members.compactMap { member in
                    // A property may be called `description`; its value is a schema and no string.
                    if member.name == "description", case .string = member.value { return nil }
                    // Enums are written as `oneOf` only to describe each raw value, so they become a plain `enum`.
                    if member.name == "oneOf", let values { return Member("enum", .array(values)) }
                    return Member(member.name, member.value.withoutDescriptions)
                })
        default: self
        }
    }

    var hasReferences: Bool {
        switch self {
        case .array(let elements): elements.contains(where: \.hasReferences)
        case .object(let members): members.contains { $0.name == "$ref" || $0.value.hasReferences }
        default: false
        }
    }

    /// The schema without null, and whether it allows null.
    var withoutNull: (JSONTree, Bool) {
        if case .array(let parts)? = self["anyOf"], parts.count == 2, parts[1]["type"] == .string("null"),
            case .object(let keywords) = withoutDescriptions, keywords.count == 1
        {
            return (parts[0], true)
        }
        guard case .object(var members) = self, case .array(let types)? = self["type"], types.count == 2,
            types[1] == .string("null"), self["enum"] == nil, self["const"] == nil,
            let index = members.firstIndex(where: { $0.name == "type" })
        else { return (self, false) }
        members[index].value = types[0]
        return (.object(members), true)
    }

    /// The cases of an enum by name, each with the schema of the object that has its members; nil for other schemas.
    var cases: [(String, JSONTree)]? {
        guard case .array(let parts)? = self["oneOf"] else { return nil }
        let cases = parts.compactMap { part -> (String, JSONTree)? in
            if case .string(let kind)? = part["properties"]?["kind"]?["const"] { return (kind, part) }
            guard let property = part.properties.first, part.properties.count == 1 else { return nil }
            return (property.name, property.value)
        }
        return cases.count == parts.count ? cases : nil
    }

    /// The raw values of an enum; nil for other schemas.
    var values: [JSONTree]? {
        if case .array(let values)? = self["enum"] { return values }
        guard case .array(let parts)? = self["oneOf"] else { return nil }
        let values = parts.compactMap { part -> JSONTree? in
            guard case .object(let keywords) = part.withoutDescriptions, keywords.count == 1 else { return nil }
            return part["const"]
        }
        return values.count == parts.count ? values : nil
    }

    /// Returns all keywords except those whose differences are reported one by one. A `SchemaProviding` type may have any.
    ///
    /// A type that arguments contain is closed (`additionalProperties` is false). A store that isn't strict reads such a type
    /// as an open one.
    func besidesStructure(_ side: ContractComparison.Side) -> [Member] {
        guard side == .store(isStrict: false) else { return besidesStructure }
        return besidesStructure.filter { $0 != Member("additionalProperties", .boolean(false)) }
    }

    private var besidesStructure: [Member] {
        guard case .object(let members) = withoutDescriptions else { return [] }
        var told = EventSchedule.keywordNames.union(["properties", "required", "items"])
        if dictionaryValue != nil { told.insert("additionalProperties") }
        if cases != nil || values != nil { told.formUnion(["oneOf", "enum"]) }
        if parts != nil { told.formUnion(["prefixItems", "anyOf"]) }
        var other = members.filter { !told.contains($0.name) }
        if case .array(let names)? = self["required"] {
            let known = properties.map { JSONTree.string($0.name) }
            other += names.filter { !known.contains($0) }.map { Member("required", $0) }
        }
        return other.sorted { $0.name < $1.name }
    }

    /// The schemas of a tuple's elements, or of the forms that a value may have; nil for other schemas.
    var parts: [JSONTree]? {
        if case .array(let parts)? = self["prefixItems"] ?? self["anyOf"] { parts } else { nil }
    }

    var isMembers: Bool { self["type"] == .string("object") && dictionaryValue == nil }

    var dictionaryValue: JSONTree? {
        guard let value = self["additionalProperties"], case .object = value else { return nil }
        return value
    }

    var properties: [Member] {
        if case .object(let members)? = self["properties"] { members } else { [] }
    }

    func requires(_ name: String) -> Bool {
        if case .array(let names)? = self["required"] { names.contains(.string(name)) } else { false }
    }

    /// Returns a reference to a definition of the same document, as a JSON Pointer (RFC 6901).
    static func reference(toDefinition name: String) -> String {
        "#/$defs/\(name.replacing("~", with: "~0").replacing("/", with: "~1"))"
    }

    /// Returns the name of the definition that a reference leads to.
    static func definition(of reference: String) -> String {
        let name = String(reference.split(separator: "/").last ?? "")
        return name.replacing("~1", with: "/").replacing("~0", with: "~")
    }

    /// The type in words: `Order`, `array of Order`, `string (uuid)`.
    var words: String {
        if case .string(let reference)? = self["$ref"] { return JSONTree.definition(of: reference) }
        let (value, isNullable) = withoutNull
        if isNullable { return "\(value.words) or null" }
        if let items = self["items"] { return "array of \(items.words)" }
        if let value = dictionaryValue { return "object of \(value.words)" }
        if cases != nil || values != nil { return "one of several" }
        if case .array(let forms)? = self["anyOf"] { return forms.map(\.words).joined(separator: " or ") }
        guard case .string(let type)? = self["type"] else { return line }
        for name in ["format", "contentEncoding"] {
            if case .string(let form)? = self[name] { return "\(type) (\(form))" }
        }
        guard let minimum = self["minimum"], let maximum = self["maximum"] else { return type }
        return "\(type) (\(minimum.line) to \(maximum.line))"
    }
}

/// The set of numbers that a schema allows.
enum SchemaNumbers {
    case all
    case integers(ClosedRange<Int128>)

    /// Reads a schema of numbers with nothing but bounds; nil for any other schema.
    init?(_ schema: JSONTree) {
        guard case .object(let members) = schema.withoutDescriptions, case .string(let type)? = schema["type"] else {
            return nil
        }
        if type == "number", members.count == 1 {
            self = .all
            return
        }
        guard type == "integer", members.count == 3, case .number(let minimum)? = schema["minimum"],
            case .number(let maximum)? = schema["maximum"], let lower = Int128(minimum), let upper = Int128(maximum),
            lower <= upper
        else { return nil }
        self = .integers(lower...upper)
    }

    /// Whether this set contains all numbers of the other.
    ///
    /// - Parameter exactly: whether all digits must be kept, as for stored values; a `Double` keeps integers of 53 bits.
    ///   Clients that send larger numbers as floating-point know that.
    func contains(_ other: SchemaNumbers, exactly: Bool = false) -> Bool {
        switch (self, other) {
        case (.all, .integers(let others)) where exactly:
            others.lowerBound >= -(1 << 53) && others.upperBound <= 1 << 53
        case (.all, _): true
        case (.integers, .all): false
        case (.integers(let own), .integers(let others)):
            own.contains(others.lowerBound) && own.contains(others.upperBound)
        }
    }
}
