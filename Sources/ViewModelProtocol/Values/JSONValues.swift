package import JSON

/// A case of a Swift enum: kind is its name, the other members are its values. The view model's own schema has their
/// forms.
package struct EventObject: SchemaProviding, Encodable, Hashable, Sendable {
    package var json: JSONText

    package init(_ json: JSONText) { self.json = json }

    package init(from decoder: any Decoder) throws {
        guard try !decoder.singleValueContainer().decodeNil() else {
            let context = DecodingError.Context(codingPath: decoder.codingPath, debugDescription: "missing")
            throw DecodingError.valueNotFound(Self.self, context)
        }
        json = try JSONText(from: decoder)
    }

    package func encode(to encoder: any Encoder) throws { try json.encode(to: encoder) }

    package static var schema: String {
        #"{"type":"object","required":["kind"],"properties":{"kind":{"type":"string"}}}"#
    }

    package static var example: EventObject { EventObject(.emptyObject) }
}

/// A row of a list. The view model's own schema has its form.
package struct RowValue: SchemaProviding, Encodable, Hashable, Sendable {
    package var json: JSONText

    package init(_ json: JSONText) { self.json = json }

    package init(from decoder: any Decoder) throws { json = try JSONText(from: decoder) }

    package func encode(to encoder: any Encoder) throws { try json.encode(to: encoder) }

    package static var schema: String { "{}" }

    package static var example: RowValue { RowValue(.emptyObject) }
}

/// A JSON Schema (draft 2020-12).
package struct SchemaText: SchemaProviding, Encodable, Hashable, Sendable {
    package var json: JSONText

    package init(_ json: JSONText) { self.json = json }

    package init(from decoder: any Decoder) throws { json = try JSONText(from: decoder) }

    package func encode(to encoder: any Encoder) throws { try json.encode(to: encoder) }

    package static var schema: String { #"{"type":["object","boolean"]}"# }

    package static var example: SchemaText { SchemaText(.emptyObject) }
}

/// JSON Schemas by name.
package struct SchemaDefinitions: SchemaProviding, Encodable, Hashable, Sendable {
    package var json: JSONText

    package init(_ json: JSONText) { self.json = json }

    package init(from decoder: any Decoder) throws { json = try JSONText(from: decoder) }

    package func encode(to encoder: any Encoder) throws { try json.encode(to: encoder) }

    package static var schema: String {
        #"{"type":"object","additionalProperties":{"type":["object","boolean"]}}"#
    }

    package static var example: SchemaDefinitions { SchemaDefinitions(.emptyObject) }
}

/// Lists by name, each with the schema of a row, and with the member that is a row's identity, where it has one.
package struct ListSchemas: SchemaProviding, Encodable, Hashable, Sendable {
    package var json: JSONText

    package init(_ json: JSONText) { self.json = json }

    package init(from decoder: any Decoder) throws { json = try JSONText(from: decoder) }

    package func encode(to encoder: any Encoder) throws { try json.encode(to: encoder) }

    package static var schema: String {
        """
        {"type":"object","additionalProperties":{"type":"object","required":["row"],\
        "properties":{"row":{"type":["object","boolean"]},"id":{"type":"string"}},"additionalProperties":false}}
        """
    }

    package static var example: ListSchemas { ListSchemas(.emptyObject) }
}

/// True. Something that is false is absent.
package struct Flag: SchemaProviding, Encodable, Hashable, Sendable {
    package init() {}

    package init(from decoder: any Decoder) throws { _ = try decoder.singleValueContainer().decode(Bool.self) }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(true)
    }

    package static var schema: String { #"{"const":true}"# }

    package static var example: Flag { Flag() }
}

/// A value that is written as null, and not left out, where there is none.
package struct Nullable<Value: Codable & Sendable>: Codable, Sendable {
    package var value: Value?

    package init(_ value: Value?) { self.value = value }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        value = container.decodeNil() ? nil : try container.decode(Value.self)
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        if let value { try container.encode(value) } else { try container.encodeNil() }
    }
}

/// Nothing: the result of a method that only does something.
package struct Null: SchemaProviding, Encodable, Hashable, Sendable {
    package init() {}

    /// Takes anything, so that no answer of a later version is an error.
    package init(from decoder: any Decoder) throws {}

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encodeNil()
    }

    package static var schema: String { #"{"type":"null"}"# }

    package static var example: Null { Null() }
}

/// No params. Whatever is in them is ignored.
package struct NoParams: Codable, Hashable, Sendable {
    package init() {}
}

extension JSONText {
    /// A value in its own `Codable` form.
    ///
    /// - Throws: `JSONCodingError` for numbers that JSON doesn't have, and for whatever a type's own code throws.
    package init(encoding value: some Encodable) throws(JSONCodingError) {
        var writer = JSONWriter()
        try ValueEncoder().encode(value, into: &writer)
        self.init(writing: { $0.raw(writer.takeBytes()) })
    }
}
