/// The members of a value, in the type's own `Codable` form. Those of an event are a `KeyedEventEncoder`'s.
struct KeyedEncoder<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let state: EncodingState
    let slot: SlotWriter.SlotReference

    var codingPath: [any CodingKey] { state.text.codingPath(of: slot) }

    func encodeNil(forKey key: Key) throws { try state.encode(Int?.none, member: key.stringValue, in: slot) }

    /// Takes the place of all of the protocol's overloads but those below.
    func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
        try state.encode(value, member: key.stringValue, in: slot)
    }

    // The types that nearly all members have, apart from the generic way: a value of a type that is only known when the
    // program runs is copied and asked for its type, which takes longer than writing it.

    func encode(_ value: Bool, forKey key: Key) throws {
        guard let writer = beginMember(key) else { return try encodeElsewhere(value, key) }
        writer.pointee.boolean(value)
    }

    func encode(_ value: Int, forKey key: Key) throws {
        guard let writer = beginMember(key) else { return try encodeElsewhere(value, key) }
        writer.pointee.number(value)
    }

    func encode(_ value: String, forKey key: Key) throws {
        guard let writer = beginMember(key) else { return try encodeElsewhere(value, key) }
        writer.pointee.quoted(value)
    }

    func encode(_ value: Double, forKey key: Key) throws {
        guard value.isFinite, let writer = beginMember(key) else { return try encodeElsewhere(value, key) }
        writer.pointee.number(value)
    }

    /// Writes the member's name where the slot is the innermost one.
    @inline(__always)
    private func beginMember(_ key: Key) -> UnsafeMutablePointer<JSONWriter>? {
        guard let writer = state.text.innermostWriter(slot) else { return nil }
        state.names.write(key.stringValue, to: writer)
        return writer
    }

    @inline(never)
    private func encodeElsewhere<T: Encodable>(_ value: T, _ key: Key) throws {
        try state.encode(value, member: key.stringValue, in: slot)
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type, forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> {
        state.container(in: nested(.object, key))
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        UnkeyedValueEncoder(state: state, slot: nested(.array, key))
    }

    func superEncoder() -> any Encoder {
        ValueTreeEncoder(state: state, slot: state.text.makeNested(.pending, in: slot, member: "super"))
    }

    func superEncoder(forKey key: Key) -> any Encoder {
        ValueTreeEncoder(state: state, slot: nested(.pending, key))
    }

    private func nested(_ kind: SlotWriter.Slot.Kind, _ key: Key) -> SlotWriter.SlotReference {
        state.text.makeNested(kind, in: slot, member: key.stringValue)
    }
}

// Not generic on the key: in code that is, each use of a type that depends on it asks the runtime for it.
extension EncodingState {
    /// Writes a member to an object, wherever its slot is. Takes the name back if the value fails, so that code that
    /// catches the error goes on with a whole text.
    func encode<T: Encodable>(_ value: T, member: String, in slot: SlotReference) throws {
        try text.write(in: slot) { writer in
            let start = writer.pointee.count
            names.write(member, to: writer)
            do {
                try encode(value)
            } catch {
                writer.pointee.truncate(to: start)
                throw error
            }
        }
    }
}
