/// The members of an event, or of the case of one: they are members of the same object, under the wire's names.
struct KeyedEventEncoder<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let object: ObjectEncoder

    var codingPath: [any CodingKey] { [] }

    func encodeNil(forKey key: Key) throws { try encode(Int?.none, forKey: key) }

    /// Takes the place of all of the protocol's overloads but those below.
    func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
        let state = try object.state()
        let name = try name(key, state)
        if object.role == .event, name == EventShape.kind { return try state.encodeKind(value, in: object.slot) }
        try state.encode(value, member: name, in: object.slot)
    }

    // As `KeyedEncoder`.

    func encode(_ value: Int, forKey key: Key) throws {
        guard let writer = try beginMember(key) else { return try encodeElsewhere(value, key) }
        writer.pointee.number(value)
    }

    func encode(_ value: String, forKey key: Key) throws {
        guard let writer = try beginMember(key) else { return try encodeElsewhere(value, key) }
        writer.pointee.quoted(value)
    }

    @inline(never)
    private func encodeElsewhere<T: Encodable>(_ value: T, _ key: Key) throws {
        try encode(value, forKey: key)
    }

    /// Writes the member's name where the slot is the innermost one and the name is no event's `kind` and no error.
    @inline(__always)
    private func beginMember(_ key: Key) throws -> UnsafeMutablePointer<JSONWriter>? {
        let state = try object.state()
        guard object.role == .caseValues, let writer = state.text.innermostWriter(object.slot),
            let name = try? name(key, state)
        else { return nil }
        state.names.write(name, to: writer)
        return writer
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type, forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> {
        guard let state = object.user else {
            return KeyedEncodingContainer(KeyedEventEncoder<NestedKey>(object: object))
        }
        guard object.role == .event, state.eventKeys(Key.self).isCase(Key.self, values: type) else {
            return state.container(in: nested(.object, key, state))
        }
        // The case's values are members of the event itself.
        let slot = object.slot
        state.text.attempt { try state.encodeKind(key.stringValue, in: slot) }
        return state.eventKeys(type).container(of: state, slot: slot, role: .caseValues)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        let state = object.user ?? .ended
        return UnkeyedValueEncoder(state: state, slot: nested(.array, key, state))
    }

    func superEncoder() -> any Encoder {
        let state = object.user ?? .ended
        return ValueTreeEncoder(state: state, slot: state.text.makeNested(.pending, in: object.slot, member: "super"))
    }

    func superEncoder(forKey key: Key) -> any Encoder {
        let state = object.user ?? .ended
        return ValueTreeEncoder(state: state, slot: nested(.pending, key, state))
    }

    private func nested(
        _ kind: SlotWriter.Slot.Kind, _ key: Key, _ state: EncodingState
    ) -> SlotWriter.SlotReference {
        let name = object.role == .caseValues ? EventShape.member(for: key) : key.stringValue
        return state.text.makeNested(kind, in: object.slot, member: name)
    }

    /// The member's name on the wire.
    ///
    /// - Throws: where an event can't have such a member.
    @inline(__always)
    private func name(_ key: Key, _ state: EncodingState) throws -> String {
        let label = key.stringValue
        return object.role == .caseValues && EventShape.isClear(label) ? label : try eventName(key, state)
    }

    @inline(never)
    private func eventName(_ key: Key, _ state: EncodingState) throws -> String {
        guard object.role == .caseValues else { return try EventShape.checked(member: key.stringValue) }
        let (name, clash) = state.eventKeys(Key.self).wireName(of: key)
        guard let clash else { return name }
        throw EncodingError.invalidValue(
            name, EncodingError.Context(codingPath: [PathKey.member(name)], debugDescription: clash))
    }
}

/// The object that a keyed container of an event writes, and another one when the container is used again.
final class ObjectEncoder {
    /// Nil while the container waits for its next use.
    @exclusivity(unchecked) private(set) var user: EncodingState?
    @exclusivity(unchecked) private(set) var slot = SlotWriter.SlotReference.dead
    @exclusivity(unchecked) private(set) var role = ObjectRole.event

    /// Begins a use.
    func begin(_ state: EncodingState, slot: SlotWriter.SlotReference, role: ObjectRole) {
        (user, self.slot, self.role) = (state, slot, role)
    }

    /// Ends a use: whatever is written next throws.
    func end() {
        user = nil
    }

    @inline(__always)
    func state() throws -> EncodingState {
        guard let user else { throw SlotWriter.outlived }
        return user
    }
}

/// A type of coding keys as events see it: has its container.
final class EventEncodingKeys<Key: CodingKey>: KeyFacts {
    @exclusivity(unchecked) private var reused = ReusableContainer()
    @exclusivity(unchecked) private var object: ObjectEncoder?

    /// The container that nobody uses, or a new one.
    @inline(never)
    func container(
        of state: EncodingState, slot: SlotWriter.SlotReference, role: ObjectRole
    ) -> KeyedEncodingContainer<Key> {
        guard !reused.isLent, let object, let kept = reused.kept else {
            return newContainer(of: state, slot: slot, role: role)
        }
        object.begin(state, slot: slot, role: role)
        reused.isLent = true
        state.note(self)
        return unsafeDowncast(kept, to: Kept<KeyedEncodingContainer<Key>>.self).copy()
    }

    @inline(never)
    private func newContainer(
        of state: EncodingState, slot: SlotWriter.SlotReference, role: ObjectRole
    ) -> KeyedEncodingContainer<Key> {
        let object = ObjectEncoder()
        object.begin(state, slot: slot, role: role)
        let container = KeyedEncodingContainer(KeyedEventEncoder<Key>(object: object))
        if !reused.isLent, reused.keep(container) {
            self.object = object
            state.note(self)
        }
        return container
    }

    override func takeBack() {
        if reused.takeBack() { object?.end() } else { object = nil }
    }
}
