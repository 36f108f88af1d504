import JSON

/// The arguments of a view model that another one shows, as they are stored.
enum StoredArguments<Arguments: Sendable> {
    /// Returns the text of arguments; nil where they are `Void`.
    ///
    /// - Throws: an error, where they aren't `Codable`, or have a value that JSON can't express.
    static func encode(_ arguments: Arguments) throws -> [UInt8]? {
        if Arguments.self == Void.self { return nil }
        guard let type = Arguments.self as? any Codable.Type, let text = try encode(arguments, as: type) else {
            throw NotStorable(type: "\(Arguments.self)")
        }
        return text
    }

    private static func encode<Value: Codable>(_ arguments: Arguments, as type: Value.Type) throws -> [UInt8]? {
        guard let value = arguments as? Value else { return nil }
        var writer = JSONWriter()
        try ValueEncoder().encode(value, into: &writer)
        return writer.takeBytes()
    }

    /// Reads arguments from their stored text.
    ///
    /// - Parameter version: the version that they were stored under.
    /// - Throws: an error, where the text isn't of such arguments.
    static func decode(_ text: [UInt8]?, version: Int) throws -> Arguments {
        if let void = () as? Arguments { return void }
        if let text, let older = try OlderArguments.read(Arguments.self, text, version: version) { return older }
        guard let text, let type = Arguments.self as? any Codable.Type,
            let arguments = try decode(text, as: type) as? Arguments
        else { throw NotStorable(type: "\(Arguments.self)") }
        return arguments
    }

    private static func decode<Value: Codable>(_ text: [UInt8], as type: Value.Type) throws -> any Codable {
        try text.withUnsafeBytes { bytes in try ValueDecoder().decode(type, from: JSONValue(validating: bytes)) }
    }

    private struct NotStorable: Error, CustomStringConvertible {
        let type: String

        var description: String { "arguments of type \(type) can't be stored, since that isn't Codable" }
    }
}
