import JSON

/// The arguments of a session that a client opens, or has opened in an earlier life.
struct OpeningArguments: Sendable {
    /// The name under which the view model is registered.
    let viewModel: String
    /// The JSON text; an empty object where the client gave none.
    let text: JSONText
    /// The place of the arguments in the params.
    let path: JSONPointer
    /// The version of stored arguments; nil where a client gives them now.
    let storedVersion: Int?

    /// Decodes the arguments by the view model's own code. Called in the job that makes the view model, where that code holds
    /// up nobody else.
    ///
    /// - Throws: `JSONCodingError` with the path of the member that doesn't fit; for stored arguments `OutdatedArguments`.
    func decode<Arguments: Decodable>(_ type: Arguments.Type) throws -> Arguments {
        guard let storedVersion else { return try decodeStrictly(type) }
        do {
            return try OlderArguments.read(type, text.bytes, version: storedVersion) ?? decodeStrictly(type)
        } catch {
            let arguments = "the arguments of this stored session"
            throw OutdatedArguments(description: "\(arguments) don't fit \"\(viewModel)\" any more: \(error)")
        }
    }

    private func decodeStrictly<Arguments: Decodable>(_ type: Arguments.Type) throws(JSONCodingError) -> Arguments {
        try text.withValue { value throws(JSONCodingError) in
            try ValueDecoder().decodeStrictly(type, from: value, at: path)
        }
    }

    /// Checks that there are no arguments.
    ///
    /// - Throws: `JSONCodingError` where there are any.
    func checkEmpty() throws(JSONCodingError) { _ = try decodeStrictly(NoArguments.self) }

    /// An object without members.
    private struct NoArguments: Decodable {
        private enum Key: CodingKey {}

        init(from decoder: any Decoder) throws { _ = try decoder.container(keyedBy: Key.self) }
    }

    private struct OutdatedArguments: Error, CustomStringConvertible { let description: String }
}
