/// Containers and encoders inside of an object.
extension EncodingPlace {
    func nestedContainer<Key: CodingKey>(member: String) -> KeyedEncodingContainer<Key> {
        let state = anyState
        return state.valueContainer(in: state.makeNested(.object, in: slot, member: member))
    }

    func nestedUnkeyedContainer(member: String) -> any UnkeyedEncodingContainer {
        let state = anyState
        return UnkeyedValueEncoder(state: state, slot: state.makeNested(.array, in: slot, member: member))
    }

    func encoder(member: String) -> any Encoder {
        let state = anyState
        return ValueTreeEncoder(state: state, slot: state.makeNested(.pending, in: slot, member: member))
    }

    /// Where the encoding has ended one that encodes nothing, so that whatever is written throws.
    var anyState: EncodingState { state ?? EncodingState() }
}
