/// The `Decoder` of an event, always the outermost value of its tape.
struct EventTreeDecoder: Decoder {
    let state: DecodingState

    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        try state.tape.beginObject(0)
        return state.container(for: .event, at: 0) { KeyedEventDecoder<Key>(at: $0) }
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        throw state.tape.mismatch([Any].self, at: 0, expected: "an array")
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer {
        _ = try state.tape.entry(0)
        return SingleEventDecoder(state: state)
    }
}
