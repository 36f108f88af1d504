/// An event's members: those that a type encodes itself, or the one case that an enum's synthesized code encodes.
struct KeyedEventEncoder<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let members: KeyedValueEncoder<Key>

    var codingPath: [any CodingKey] { [] }

    func encodeNil(forKey key: Key) throws {
        try members.encodeNil(member: checked(key))
    }

    /// Stands for all of the protocol's overloads.
    func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
        let member = try checked(key)
        if member == EventShape.kind { return try encodeKind(value) }
        try members.encode(value, member: member)
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy keyType: NestedKey.Type, forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> {
        guard EventShape.isCase(key, values: keyType) else {
            return members.nestedContainer(keyedBy: keyType, forKey: key)
        }
        let values = KeyedValueEncoder<NestedKey>(state: members.state, slot: members.slot)
        do {
            try encodeKind(key.stringValue)
        } catch {
            members.state.pendingError = members.state.pendingError ?? error
        }
        return KeyedEncodingContainer(CaseValuesEncoder(members: values))
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        members.nestedUnkeyedContainer(forKey: key)
    }

    func superEncoder() -> any Encoder { members.superEncoder() }

    func superEncoder(forKey key: Key) -> any Encoder { members.superEncoder(forKey: key) }

    /// Remembers where, so that an event without a kind, or with one that is no string, is found.
    func encodeKind<T: Encodable>(_ kind: T) throws {
        let state = members.state
        guard state.kindOffset == nil else { throw state.secondValue(in: members.slot) }
        try state.write(in: members.slot) {
            guard let start = state.writer?.pointee.count else { throw EncodingState.outlived }
            state.writer?.pointee.key("kind")
            state.kindOffset = state.writer?.pointee.count
            do {
                try state.encode(kind)
            } catch {
                state.kindOffset = nil
                state.writer?.pointee.truncate(to: start)
                throw error
            }
        }
    }

    private func checked(_ key: Key) throws -> String {
        let member = key.stringValue
        guard member == "jsonrpc" else { return member }
        throw EncodingError.invalidValue(
            member,
            EncodingError.Context(
                codingPath: [PathKey.member(member)],
                debugDescription: "an event can't have a member 'jsonrpc': clients in use take it for a message"))
    }
}
