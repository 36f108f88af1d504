/// The `Decoder` of one value of a tape, as that value's own `init(from:)` gets it.
struct ValueTreeDecoder: Decoder {
    let tape: DecodingTape
    let index: Int

    var codingPath: [any CodingKey] { tape.codingPath(to: index) }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(try KeyedValueDecoder<Key>(tape: tape, index: index))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try UnkeyedValueDecoder(tape: tape, index: index)
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer {
        _ = try tape.entry(index)
        return SingleValueDecoder(tape: tape, index: index)
    }
}
