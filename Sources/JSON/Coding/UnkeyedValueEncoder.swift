struct UnkeyedValueEncoder: UnkeyedEncodingContainer {
    let state: EncodingState
    let slot: EncodingState.SlotReference

    var codingPath: [any CodingKey] { state.codingPath(of: slot) }

    var count: Int {
        guard let index = try? state.index(of: slot) else { return 0 }
        return state.slots[index].count
    }

    func encodeNil() throws {
        try element { $0.pointee.null() }
    }

    /// Stands for all of the protocol's overloads.
    func encode<T: Encodable>(_ value: T) throws {
        try element { _ in try state.encode(value) }
    }

    func nestedContainer<NestedKey: CodingKey>(keyedBy keyType: NestedKey.Type) -> KeyedEncodingContainer<NestedKey> {
        state.valueContainer(in: state.makeNested(.object, in: slot, member: nil))
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        UnkeyedValueEncoder(state: state, slot: state.makeNested(.array, in: slot, member: nil))
    }

    func superEncoder() -> any Encoder {
        ValueTreeEncoder(state: state, slot: state.makeNested(.pending, in: slot, member: nil))
    }

    @inline(__always)
    private func element(_ body: (UnsafeMutablePointer<JSONWriter>) throws -> Void) throws {
        try state.write(in: slot, body)
        state.slots[slot.index].count += 1
    }
}
