/// An enum case's associated values, written as members of the event itself under the wire's names.
struct CaseValuesEncoder<Key: CodingKey>: KeyedEncodingContainerProtocol {
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
        try place.encode(value, member: checked(key))
    }

    func encode(_ value: Bool, forKey key: Key) throws { try place.encode(value, member: checked(key)) }

    func encode(_ value: Int, forKey key: Key) throws { try place.encode(value, member: checked(key)) }

    func encode(_ value: String, forKey key: Key) throws { try place.encode(value, member: checked(key)) }

    func encode(_ value: Double, forKey key: Key) throws { try place.encode(value, member: checked(key)) }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy keyType: NestedKey.Type, forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> {
        place.nestedContainer(member: EventShape.member(for: key))
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        place.nestedUnkeyedContainer(member: EventShape.member(for: key))
    }

    func superEncoder() -> any Encoder { place.encoder(member: "super") }

    func superEncoder(forKey key: Key) -> any Encoder { place.encoder(member: EventShape.member(for: key)) }

    private func checked(_ key: Key) throws -> String {
        let (member, clash) = place.wireName(of: key)
        guard let clash else { return member }
        throw EncodingError.invalidValue(
            member, EncodingError.Context(codingPath: [PathKey.member(member)], debugDescription: clash))
    }
}
