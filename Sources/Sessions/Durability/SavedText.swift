import JSON
import ViewModels

/// The JSON texts of saved values.
enum SavedText {
    static func text<Property: SavedProperty>(ofProperty property: Property) throws -> [UInt8] {
        // The type is asked, and not the value: a nil has no type of its own. Reflection has checked that it is Codable.
        guard let type = Property.Value.self as? any (Encodable & Sendable).Type else { return Array("null".utf8) }
        return try text(of: property.savedValue, as: type)
    }

    private static func text<Value: Encodable>(of value: some Sendable, as type: Value.Type) throws -> [UInt8] {
        guard let value = value as? Value else { return Array("null".utf8) }
        return try text(of: value)
    }

    static func decode<Value: Decodable>(_ type: Value.Type, _ text: [UInt8]) throws -> Value {
        try text.withUnsafeBytes { bytes in
            try ValueDecoder().decode(type, from: JSONValue(validating: bytes))
        }
    }

    static func text<Value: Encodable>(of value: Value) throws -> [UInt8] {
        var writer = JSONWriter()
        try ValueEncoder().encode(value, into: &writer)
        return writer.takeBytes()
    }

    /// - Throws: `UnreadableState`.
    static func decode<Value: Decodable>(_ type: Value.Type, state text: [UInt8]) throws -> Value {
        do {
            return try decode(type, text)
        } catch let error as JSONCodingError {
            throw UnreadableState(reason: "its saved state can't be read: \(error)")
        }
    }

    /// Sets a property to its saved value.
    ///
    /// - Returns: false where there is no such property.
    /// - Throws: `UnreadableState`.
    static func restore(_ value: SavedValue, _ properties: [NamedSavedProperty]) throws -> Bool {
        guard let named = properties.first(where: { $0.name == value.name }) else { return false }
        do {
            try restore(named.property, value.text)
            return true
        } catch let error as JSONCodingError {
            throw UnreadableState(reason: "the saved value of '\(value.name)' can't be read: \(error)")
        }
    }

    private static func restore<Property: SavedProperty>(_ property: Property, _ text: [UInt8]) throws {
        guard let type = Property.Value.self as? any Decodable.Type else { return }
        if let value = try decode(type, text) as? Property.Value { property.savedValue = value }
    }
}
