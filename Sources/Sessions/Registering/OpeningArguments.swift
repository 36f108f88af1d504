import JSON

/// The arguments of a session that a client opens, or has opened in an earlier life.
struct OpeningArguments {
    /// Nil where the client gave none.
    let value: JSONValue?
    /// Where they are in the params.
    let path: JSONPointer
    /// Nil where a client gives them now.
    let storedVersion: Int?

    func decode<Arguments: Decodable>(_ type: Arguments.Type) throws(JSONCodingError) -> Arguments {
        guard let value = value ?? Self.emptyObject() else { throw JSONCodingError(path: path, reason: "missing") }
        if let storedVersion {
            do {
                let text = JSONText(value).bytes
                if let older = try OlderArguments.read(type, text, version: storedVersion) { return older }
            } catch {
                throw JSONCodingError(path: path, reason: "\(error)")
            }
        }
        return try ValueDecoder().decodeStrictly(type, from: value, at: path)
    }

    /// - Throws: where there are any.
    func checkEmpty() throws(JSONCodingError) { _ = try decode(NoArguments.self) }

    /// An object without members.
    private struct NoArguments: Decodable {
        private enum Key: CodingKey {}

        init(from decoder: any Decoder) throws { _ = try decoder.container(keyedBy: Key.self) }
    }

    /// Borrows memory that lives as long as the process.
    private static func emptyObject() -> JSONValue? {
        let text: StaticString = "{}"
        return try? JSONValue(validating: UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }
}
