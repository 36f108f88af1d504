import JSON
import Testing

func decoded<T: Decodable>(_ type: T.Type, _ text: String, at path: JSONPointer = .root) throws -> T {
    try read(text) { try ValueDecoder().decode(type, from: $0, at: path) }
}

func encoded(_ value: some Encodable) throws -> String {
    try written { try ValueEncoder().encode(value, into: &$0) }
}

func decodedEvent<T: Decodable>(_ type: T.Type, _ text: String, at path: JSONPointer = .root) throws -> T {
    try read(text) { try EventDecoder().decode(type, from: $0, at: path) }
}

func encodedEvent(_ event: some Encodable) throws -> String {
    try written { try EventEncoder().encode(event, into: &$0) }
}

/// Expects `body` to fail like this.
func expectFailure(
    _ path: JSONPointer, _ reason: String, sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Void
) {
    #expect(throws: JSONCodingError(path: path, reason: reason), sourceLocation: sourceLocation) { try body() }
}
