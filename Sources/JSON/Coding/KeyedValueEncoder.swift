struct KeyedValueEncoder<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let state: EncodingState
    let slot: EncodingState.SlotReference

    var codingPath: [any CodingKey] { state.codingPath(of: slot) }

    func encodeNil(forKey key: Key) throws {
        try encodeNil(member: key.stringValue)
    }

    /// Stands for all of the protocol's overloads.
    func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
        try encode(value, member: key.stringValue)
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy keyType: NestedKey.Type, forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> {
        let nested = state.makeNested(.object, in: slot, member: key.stringValue)
        return KeyedEncodingContainer(KeyedValueEncoder<NestedKey>(state: state, slot: nested))
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        UnkeyedValueEncoder(state: state, slot: state.makeNested(.array, in: slot, member: key.stringValue))
    }

    func superEncoder() -> any Encoder {
        encoder(member: "super")
    }

    func superEncoder(forKey key: Key) -> any Encoder {
        encoder(member: key.stringValue)
    }

    func encodeNil(member: String) throws {
        try state.write(in: slot) {
            state.writer?.pointee.key(member)
            state.writer?.pointee.null()
        }
    }

    /// Takes the name back if the value fails, so that code that catches the error goes on with a whole text.
    @inline(__always)
    func encode<T: Encodable>(_ value: T, member: String) throws {
        try state.write(in: slot) {
            guard let start = state.writer?.pointee.count else { throw EncodingState.outlived }
            state.writer?.pointee.key(member)
            do {
                try state.encode(value)
            } catch {
                state.writer?.pointee.truncate(to: start)
                throw error
            }
        }
    }

    func encoder(member: String) -> any Encoder {
        ValueTreeEncoder(state: state, slot: state.makeNested(.pending, in: slot, member: member))
    }
}
