struct SingleValueDecoder: SingleValueDecodingContainer {
    let state: DecodingState
    let index: Int

    var codingPath: [any CodingKey] { state.tape.codingPath(to: index) }

    /// False once decoding has ended: whatever is asked for next throws.
    func decodeNil() -> Bool { (try? state.tape.isNull(at: index)) ?? false }

    /// Stands for all of the protocol's overloads.
    func decode<T: Decodable>(_ type: T.Type) throws -> T {
        try state.decode(type, at: index)
    }
}
