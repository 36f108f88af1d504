/// An object's members, found on the tape.
struct KeyedValueDecoder<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let place: DecodingPlace

    init(at place: DecodingPlace) {
        self.place = place
    }

    var codingPath: [any CodingKey] { place.codingPath }

    var allKeys: [Key] { place.allKeys() }

    func contains(_ key: Key) -> Bool {
        (try? place.find(key.stringValue)) != nil
    }

    func decodeNil(forKey key: Key) throws -> Bool {
        try place.tape.isNull(at: place.member(key))
    }

    /// Stands for all of the protocol's overloads.
    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
        try place.decode(type, at: place.member(key))
    }

    /// Stands for all of the protocol's overloads; one search where the standard library's own does three.
    func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? {
        guard let member = try place.memberIfPresent(key.stringValue) else { return nil }
        return try place.decode(type, at: member)
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<NestedKey> {
        try place.nestedContainer(at: place.member(key))
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try place.nestedUnkeyedContainer(at: place.member(key))
    }

    func superDecoder() throws -> any Decoder {
        try place.decoder(at: place.member(PathKey.member("super")))
    }

    func superDecoder(forKey key: Key) throws -> any Decoder {
        try place.decoder(at: place.member(key))
    }
}
