import JSON

/// The arguments of a session that a client opens, or has opened in an earlier life.
struct OpeningArguments: Sendable {
    /// As it is registered.
    let viewModel: String
    /// An empty object where the client gave none.
    let text: JSONText
    /// Where they are in the params.
    let path: JSONPointer
    /// Nil where a client gives them now.
    let storedVersion: Int?

    /// Calls the view model's own code: in the job that makes it, where that holds up nobody else.
    ///
    /// - Throws: `JSONCodingError` with the path of the member that doesn't fit; of stored ones `OutdatedArguments`.
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

    /// - Throws: where there are any.
    func checkEmpty() throws(JSONCodingError) { _ = try decodeStrictly(NoArguments.self) }

    /// An object without members.
    private struct NoArguments: Decodable {
        private enum Key: CodingKey {}

        init(from decoder: any Decoder) throws { _ = try decoder.container(keyedBy: Key.self) }
    }

    private struct OutdatedArguments: Error, CustomStringConvertible { let description: String }
}
