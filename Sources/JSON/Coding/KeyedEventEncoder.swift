/// An event's members: those that a type encodes itself, or the one case that an enum's synthesized code encodes.
struct KeyedEventEncoder<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let place: EncodingPlace

    init(at place: EncodingPlace) {
        self.place = place
    }

    var codingPath: [any CodingKey] { [] }

    func encodeNil(forKey key: Key) throws {
        try place.encodeNil(member: checked(key))
    }

    /// Stands for all of the protocol's overloads.
    func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
        let member = try checked(key)
        if member == EventShape.kind { return try place.encodeKind(value) }
        try place.encode(value, member: member)
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy keyType: NestedKey.Type, forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> {
        guard place.isCase(Key.self, values: keyType) else { return place.nestedContainer(member: key.stringValue) }
        return place.caseContainer(kind: key.stringValue) { CaseValuesEncoder<NestedKey>(at: $0) }
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        place.nestedUnkeyedContainer(member: key.stringValue)
    }

    func superEncoder() -> any Encoder { place.encoder(member: "super") }

    func superEncoder(forKey key: Key) -> any Encoder { place.encoder(member: key.stringValue) }

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
