/// The keyed container of an encoder. It writes the members of a value, of an event, or of an enum's case.
struct KeyedEncoder<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let object: ObjectEncoder

    var codingPath: [any CodingKey] { object.codingPath }

    func encodeNil(forKey key: Key) throws { try encode(Int?.none, forKey: key) }

    /// Encodes a member. Serves every overload of the protocol except those below.
    func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
        let state = try object.state()
        let name = try name(key)
        if object.role == .event, name == EventShape.kind { return try state.encodeKind(value, in: object.slot) }
        try state.encode(value, member: name, in: object.slot)
    }

    // Overloads for the types that nearly all members have. The generic function takes longer for these than writing the value:
    // it copies the value and asks for its type at run time.

    func encode(_ value: Bool, forKey key: Key) throws {
        guard let writer = beginMember(key) else { return try encodeElsewhere(value, key) }
        writer.pointee.literal(value ? "true" : "false")
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

    /// Writes the member's name, and returns the writer for its value.
    ///
    /// Returns nil, with nothing written, if that isn't safe: another slot is open inside this one, or the name must be
    /// checked, as it could clash with the `kind` of an event or be invalid. `encode` then takes the general way.
    @inline(__always)
    private func beginMember(_ key: Key) -> UnsafeMutablePointer<JSONWriter>? {
        let text = object.text
        guard object.memberSerial == text.serial, let writer = text.writer else { return beginCaseMember(key) }
        text.names.write(key.stringValue, to: writer)
        return writer
    }

    @inline(never)
    private func beginCaseMember(_ key: Key) -> UnsafeMutablePointer<JSONWriter>? {
        guard object.role == .caseValues, let writer = object.text.innermostWriter(object.slot),
            let name = try? name(key)
        else { return nil }
        object.text.names.write(name, to: writer)
        return writer
    }

    @inline(never)
    private func encodeElsewhere<T: Encodable>(_ value: T, _ key: Key) throws {
        try encode(value, forKey: key)
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type, forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> {
        let state = object.stateOrEnded
        guard object.role == .event,
            state.keyFacts(Key.self)._withUnsafeGuaranteedRef({ $0.isCase(Key.self, values: type) })
        else {
            return state.container(.value, in: nested(.object, key))
        }
        // The case's values are members of the event itself.
        let slot = object.slot
        state.text.attempt { try state.encodeKind(key.stringValue, in: slot) }
        return state.container(.caseValues, in: slot)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        UnkeyedValueEncoder(state: object.stateOrEnded, slot: nested(.array, key))
    }

    func superEncoder() -> any Encoder {
        let slot = object.text.makeNested(.pending, in: object.slot, member: "super")
        return ValueTreeEncoder(state: object.stateOrEnded, slot: slot)
    }

    func superEncoder(forKey key: Key) -> any Encoder {
        ValueTreeEncoder(state: object.stateOrEnded, slot: nested(.pending, key))
    }

    private func nested(_ kind: SlotWriter.Slot.Kind, _ key: Key) -> SlotWriter.SlotReference {
        let name = object.role == .caseValues ? EventShape.member(for: key) : key.stringValue
        return object.text.makeNested(kind, in: object.slot, member: name)
    }

    /// Returns the member's name on the wire.
    ///
    /// - Throws: if an event can't have such a member.
    @inline(__always)
    private func name(_ key: Key) throws -> String {
        let label = key.stringValue
        let isName = object.role == .value || object.role == .caseValues && EventShape.isClear(label)
        return isName ? label : try eventName(key)
    }

    @inline(never)
    private func eventName(_ key: Key) throws -> String {
        guard object.role == .caseValues else { return try EventShape.checked(member: key.stringValue) }
        let (name, clash) = try object.state().keyFacts(Key.self)._withUnsafeGuaranteedRef { $0.wireName(of: key) }
        guard let clash else { return name }
        throw EncodingError.invalid(name, member: name, clash)
    }
}

/// The object that a keyed container writes.
final class ObjectEncoder: ContainerObject {
    let text: SlotWriter
    /// The encoding's state; nil while the container waits for its next use. Not counted: the state ends each use before it is
    /// released, or `kept` retains it.
    @exclusivity(unchecked) private var user: Unmanaged<EncodingState>?
    /// Retains the state of a use that no call ends.
    @exclusivity(unchecked) var kept: EncodingState?
    @exclusivity(unchecked) private(set) var slot = SlotWriter.SlotReference.dead
    @exclusivity(unchecked) private(set) var role = ObjectRole.value
    /// The serial number of the slot, if member names are written without a check; otherwise -1, which no slot has.
    @exclusivity(unchecked) private(set) var memberSerial = -1

    init(_ text: SlotWriter) {
        self.text = text
    }

    /// Begins a use of the container for the object in `slot`.
    func begin(_ state: EncodingState, slot: SlotWriter.SlotReference, role: ObjectRole) {
        (user, self.slot, self.role) = (.passUnretained(state), slot, role)
        memberSerial = role == .value ? slot.serial : -1
    }

    func end(isKept: Bool) {
        (user, slot, memberSerial) = (nil, .dead, -1)
    }

    @inline(__always)
    func state() throws -> EncodingState {
        guard let user else { throw SlotWriter.outlived }
        return user.takeUnretainedValue()
    }

    /// The state, for calls that can't throw. After the end of a use this is a new state, and what is written to it is lost.
    var stateOrEnded: EncodingState { (try? state()) ?? EncodingState() }

    var codingPath: [any CodingKey] { role == .value ? text.codingPath(of: slot) : [] }
}

// Not generic over the key: generic code asks the runtime for each type that depends on the key, at each use.
extension EncodingState {
    /// Writes a member to the object in `slot`, and returns the offset of its value. If the value fails, the name is taken
    /// back, so that code that catches the error goes on with a valid text.
    @discardableResult
    func encode<T: Encodable>(_ value: T, member: String, in slot: SlotReference) throws -> Int {
        var offset = 0
        try text.write(in: slot) { writer in
            let start = writer.pointee.count
            text.names.write(member, to: writer)
            offset = writer.pointee.count
            do {
                try encode(value)
            } catch {
                writer.pointee.truncate(to: start)
                throw error
            }
        }
        return offset
    }
}
