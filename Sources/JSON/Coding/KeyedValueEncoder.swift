struct KeyedValueEncoder<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let place: EncodingPlace

    init(at place: EncodingPlace) {
        self.place = place
    }

    var codingPath: [any CodingKey] { place.codingPath }

    func encodeNil(forKey key: Key) throws {
        try place.encodeNil(member: key.stringValue)
    }

    /// Stands for all of the protocol's overloads.
    func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
        try place.encode(value, member: key.stringValue)
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy keyType: NestedKey.Type, forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> {
        place.nestedContainer(member: key.stringValue)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        place.nestedUnkeyedContainer(member: key.stringValue)
    }

    func superEncoder() -> any Encoder { place.encoder(member: "super") }

    func superEncoder(forKey key: Key) -> any Encoder { place.encoder(member: key.stringValue) }
}
