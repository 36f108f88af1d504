/// An enum case's associated values, which are members of the event itself under the wire's names.
struct CaseValuesDecoder<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let place: DecodingPlace

    init(at place: DecodingPlace) {
        self.place = place
    }

    var codingPath: [any CodingKey] { [] }

    /// Synthesized code doesn't ask. Nothing but the wire's own names could be told.
    var allKeys: [Key] { place.allKeys() }

    func contains(_ key: Key) -> Bool {
        (try? place.find(EventShape.member(for: key))) != nil
    }

    func decodeNil(forKey key: Key) throws -> Bool { try place.tape.isNull(at: place.value(key)) }

    /// Stands for all of the protocol's overloads.
    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
        try place.decode(type, at: place.value(key))
    }

    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try place.tape.boolean(at: place.value(key)) }

    func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try place.tape.integer(type, at: place.value(key)) }

    func decode(_ type: String.Type, forKey key: Key) throws -> String { try place.tape.string(at: place.value(key)) }

    func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try place.tape.double(at: place.value(key)) }

    /// Stands for all of the protocol's overloads.
    func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? {
        guard let member = try place.valueIfPresent(key) else { return nil }
        return try place.decode(type, at: member)
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<NestedKey> {
        try place.nestedContainer(at: place.value(key))
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try place.nestedUnkeyedContainer(at: place.value(key))
    }

    func superDecoder() throws -> any Decoder { try place.decoder(at: place.member(PathKey.member("super"))) }

    func superDecoder(forKey key: Key) throws -> any Decoder { try place.decoder(at: place.value(key)) }
}
