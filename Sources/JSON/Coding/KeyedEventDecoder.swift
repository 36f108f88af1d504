/// The members of an event, which an enum's synthesized code sees as a single one: the case with its values.
struct KeyedEventDecoder<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let place: DecodingPlace

    init(at place: DecodingPlace) {
        self.place = place
    }

    var codingPath: [any CodingKey] { [] }

    var allKeys: [Key] { place.eventKeys() }

    func contains(_ key: Key) -> Bool { (try? place.find(key.stringValue)) != nil }

    func decodeNil(forKey key: Key) throws -> Bool { try place.tape.isNull(at: place.member(key)) }

    /// Stands for all of the protocol's overloads.
    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
        try place.decode(type, at: place.member(key))
    }

    /// Stands for all of the protocol's overloads.
    func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? {
        guard let member = try place.memberIfPresent(key.stringValue) else { return nil }
        return try place.decode(type, at: member)
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<NestedKey> {
        guard place.isCase(Key.self, values: type) else { return try place.nestedContainer(at: place.member(key)) }
        return try place.caseContainer(kind: key.stringValue) { CaseValuesDecoder<NestedKey>(at: $0) }
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try place.nestedUnkeyedContainer(at: place.member(key))
    }

    func superDecoder() throws -> any Decoder { try place.decoder(at: place.member(PathKey.member("super"))) }

    func superDecoder(forKey key: Key) throws -> any Decoder { try place.decoder(at: place.member(key)) }
}
