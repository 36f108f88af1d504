/// An object's members: a value's, an event's, or those of an enum's case.
struct KeyedEncoder<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let state: EncodingState
    let slot: SlotWriter.SlotReference
    let role: ObjectRole

    var codingPath: [any CodingKey] { role == .value ? state.text.codingPath(of: slot) : [] }

    func encodeNil(forKey key: Key) throws { try state.encode(Int?.none, member: name(key), of: role, in: slot) }

    /// Takes the place of all of the protocol's overloads but those below.
    func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
        try state.encode(value, member: name(key), of: role, in: slot)
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

    /// Writes the member's name where the slot is the innermost one and the name is no event's `kind` and no error.
    @inline(__always)
    private func beginMember(_ key: Key) -> UnsafeMutablePointer<JSONWriter>? {
        guard role != .event, let writer = state.text.innermostWriter(slot), let name = try? name(key) else {
            return nil
        }
        state.names.write(name, to: writer)
        return writer
    }

    @inline(never)
    private func encodeElsewhere<T: Encodable>(_ value: T, _ key: Key) throws {
        try state.encode(value, member: name(key), of: role, in: slot)
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type, forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> {
        guard role == .event, state.keyFacts(Key.self).isCase(Key.self, values: type) else {
            return state.container(.value, in: nested(.object, key))
        }
        // The case's values are members of the event itself.
        state.text.attempt { try state.encodeKind(key.stringValue, in: slot) }
        return state.container(.caseValues, in: slot)
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
        let name = role == .caseValues ? EventShape.member(for: key) : key.stringValue
        return state.text.makeNested(kind, in: slot, member: name)
    }

    /// The member's name on the wire.
    ///
    /// - Throws: where an event can't have such a member.
    @inline(__always)
    private func name(_ key: Key) throws -> String {
        let label = key.stringValue
        if role == .value || role == .caseValues && EventShape.isClear(label) { return label }
        return try eventName(key)
    }

    @inline(never)
    private func eventName(_ key: Key) throws -> String {
        guard role == .caseValues else { return try EventShape.checked(member: key.stringValue) }
        let (name, clash) = state.keyFacts(Key.self).wireName(of: key)
        guard let clash else { return name }
        throw EncodingError.invalidValue(
            name, EncodingError.Context(codingPath: [PathKey.member(name)], debugDescription: clash))
    }
}

// Not generic on the key: in code that is, each use of a type that depends on it asks the runtime for it.
extension EncodingState {
    /// Writes a member to an object, wherever its slot is. Takes the name back if the value fails, so that code that
    /// catches the error goes on with a whole text.
    func encode<T: Encodable>(_ value: T, member: String, of role: ObjectRole, in slot: SlotReference) throws {
        if role == .event && member == EventShape.kind { return try encodeKind(value, in: slot) }
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
