struct SingleValueDecoder: SingleValueDecodingContainer {
    let tape: DecodingTape
    let index: Int

    var codingPath: [any CodingKey] { tape.codingPath(to: index) }

    /// False once decoding has ended: whatever is asked for next throws.
    func decodeNil() -> Bool { (try? tape.isNull(at: index)) ?? false }

    /// Stands for all of the protocol's overloads.
    func decode<T: Decodable>(_ type: T.Type) throws -> T {
        try tape.decode(type, at: index)
    }
}
