import JSON
import ViewModels

/// The JSON texts of saved values.
enum SavedText {
    /// A property's value, as it is stored.
    struct OfProperty {
        var bytes = Array("null".utf8)
        /// Whether there are objects in the value, which may change without the property being set.
        var hasObjects = false
    }

    static func text<Property: SavedProperty>(ofProperty property: Property) throws -> OfProperty {
        // The type is asked, and not the value: a nil has no type of its own. Reflection has checked that it is Codable.
        guard let type = Property.Value.self as? any (Encodable & Sendable).Type else { return OfProperty() }
        return try text(of: property.savedValue, as: type)
    }

    private static func text<Value: Encodable>(of value: some Sendable, as type: Value.Type) throws -> OfProperty {
        guard let value = value as? Value else { return OfProperty() }
        var writer = JSONWriter()
        let hasObjects = try ValueEncoder().encodeNotingObjects(value, into: &writer)
        return OfProperty(bytes: writer.takeBytes(), hasObjects: hasObjects)
    }

    /// Decodes a saved value.
    ///
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

    /// Decodes a saved state.
    ///
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
    /// - Returns: the members that the property's type doesn't read, such as `owner/age`, and whether objects are in the value.
    /// - Throws: `UnreadableState`.
    static func restore(
        _ value: SavedValue, _ properties: [NamedSavedProperty]
    ) throws -> (unread: [String], hasObjects: Bool) {
        guard let named = properties.first(where: { $0.name == value.name }) else { return ([], false) }
        do {
            var unread: [JSONPointer] = []
            let hasObjects = try restore(named.property, value.text, unread: &unread)
            // Rows are stored as an array, and the number of those that are made on demand as a number.
            if let rows = named.property as? any HostedRows, rows.isKept != (value.text.first == UInt8(ascii: "[")) {
                return ([value.name], hasObjects)
            }
            return (unread.map { "\(value.name)\($0)" }, hasObjects)
        } catch let error as JSONCodingError {
            throw UnreadableState(reason: "the saved value of '\(value.name)' can't be read: \(error)")
        }
    }

    private static func restore<Property: SavedProperty>(
        _ property: Property, _ text: [UInt8], unread: inout [JSONPointer]
    ) throws -> Bool {
        guard let type = Property.Value.self as? any Decodable.Type else { return false }
        let (value, hasObjects) = try text.withUnsafeBytes { bytes in
            try decodeNotingObjects(type, try JSONValue(validating: bytes), unread: &unread)
        }
        if let value = value as? Property.Value { property.savedValue = value }
        return hasObjects
    }

    private static func decodeNotingObjects<Value: Decodable>(
        _ type: Value.Type, _ text: JSONValue, unread: inout [JSONPointer]
    ) throws -> (value: any Decodable, hasObjects: Bool) {
        try ValueDecoder().decodeNotingObjects(type, from: text, unknown: &unread)
    }
}
