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

    /// - Parameter unread: takes the members that no type reads.
    static func decode<Value: Decodable>(
        _ type: Value.Type, _ text: [UInt8], unread: inout [JSONPointer]
    ) throws -> Value {
        try text.withUnsafeBytes { bytes in
            try ValueDecoder().decode(type, from: JSONValue(validating: bytes), unknown: &unread)
        }
    }

    static func text<Value: Encodable>(of value: Value) throws -> [UInt8] {
        var writer = JSONWriter()
        try ValueEncoder().encode(value, into: &writer)
        return writer.takeBytes()
    }

    /// - Throws: `UnreadableState`.
    static func decode<Value: Decodable>(
        _ type: Value.Type, state text: [UInt8], unread: inout [JSONPointer]
    ) throws -> Value {
        do {
            return try decode(type, text, unread: &unread)
        } catch let error as JSONCodingError {
            throw UnreadableState(reason: "its saved state can't be read: \(error)")
        }
    }

    /// Sets a property to its saved value. Does nothing where there is no such property.
    ///
    /// - Returns: the members that it doesn't read, such as `owner/age`.
    /// - Throws: `UnreadableState`.
    static func restore(_ value: SavedValue, _ properties: [NamedSavedProperty]) throws -> [String] {
        guard let named = properties.first(where: { $0.name == value.name }) else { return [] }
        do {
            var unread: [JSONPointer] = []
            try restore(named.property, value.text, unread: &unread)
            return unread.map { "\(value.name)\($0)" }
        } catch let error as JSONCodingError {
            throw UnreadableState(reason: "the saved value of '\(value.name)' can't be read: \(error)")
        }
    }

    private static func restore<Property: SavedProperty>(
        _ property: Property, _ text: [UInt8], unread: inout [JSONPointer]
    ) throws {
        guard let type = Property.Value.self as? any Decodable.Type else { return }
        if let value = try decode(type, text, unread: &unread) as? Property.Value { property.savedValue = value }
    }
}
