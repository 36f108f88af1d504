/// An enum case's associated values, written as members of the event itself under the wire's names.
struct CaseValuesEncoder<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let members: KeyedValueEncoder<Key>

    var codingPath: [any CodingKey] { [] }

    func encodeNil(forKey key: Key) throws {
        try members.encodeNil(member: checked(key))
    }

    /// Stands for all of the protocol's overloads.
    func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
        try members.encode(value, member: checked(key))
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy keyType: NestedKey.Type, forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> {
        let nested = members.state.makeNested(.object, in: members.slot, member: EventShape.member(for: key))
        return KeyedEncodingContainer(KeyedValueEncoder<NestedKey>(state: members.state, slot: nested))
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        let nested = members.state.makeNested(.array, in: members.slot, member: EventShape.member(for: key))
        return UnkeyedValueEncoder(state: members.state, slot: nested)
    }

    func superEncoder() -> any Encoder { members.superEncoder() }

    func superEncoder(forKey key: Key) -> any Encoder { members.encoder(member: EventShape.member(for: key)) }

    private func checked(_ key: Key) throws -> String {
        let member = EventShape.member(for: key)
        guard let clash = EventShape.clash(key) else { return member }
        throw EncodingError.invalidValue(
            member, EncodingError.Context(codingPath: [PathKey.member(member)], debugDescription: clash))
    }
}
