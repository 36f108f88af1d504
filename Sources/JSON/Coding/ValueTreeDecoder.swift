/// The `Decoder` of one value of a tape, as that value's own `init(from:)` gets it.
struct ValueTreeDecoder: Decoder {
    let state: DecodingState
    let index: Int

    var codingPath: [any CodingKey] { state.tape.codingPath(to: index) }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        try state.valueContainer(at: index)
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try UnkeyedValueDecoder(state: state, index: index)
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer {
        _ = try state.tape.entry(index)
        return SingleValueDecoder(state: state, index: index)
    }
}
