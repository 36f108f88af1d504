/// The `Encoder` of an event, always the outermost value.
struct EventTreeEncoder: Encoder {
    let state: EncodingState
    let slot: EncodingState.SlotReference

    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        state.container(for: .event, in: state.makeContainer(.object, in: slot)) { KeyedEventEncoder<Key>(at: $0) }
    }

    /// Encodes an array, which is then found to have no kind.
    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        UnkeyedValueEncoder(state: state, slot: state.makeContainer(.array, in: slot))
    }

    func singleValueContainer() -> any SingleValueEncodingContainer {
        SingleEventEncoder(state: state, slot: slot)
    }
}
