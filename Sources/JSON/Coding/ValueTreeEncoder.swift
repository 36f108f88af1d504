/// The `Encoder` of one value, as that value's own `encode(to:)` gets it.
struct ValueTreeEncoder: Encoder {
    let state: EncodingState
    let slot: EncodingState.SlotReference

    var codingPath: [any CodingKey] { state.codingPath(of: slot) }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        state.valueContainer(in: state.makeContainer(.object, in: slot))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        UnkeyedValueEncoder(state: state, slot: state.makeContainer(.array, in: slot))
    }

    func singleValueContainer() -> any SingleValueEncodingContainer {
        SingleValueEncoder(state: state, slot: slot)
    }
}
