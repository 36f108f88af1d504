import JSON

/// The members of an object, or of an enum's case: there is each one that is asked for.
struct ProbedMembers<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let probe: Probe
    let keys: [(name: String, key: Key)]
    var codingPath: [any CodingKey] { [] }
    var allKeys: [Key] { keys.map(\.key) }

    func contains(_ key: Key) -> Bool { true }

    func decodeNil(forKey key: Key) throws -> Bool {
        throw ProbeError.custom("it asks whether '\(key.stringValue)' is null")
    }

    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
        try note(type, key, isOptional: false)
        return try probe.samples.sample(of: type)
    }

    func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? {
        try note(type, key, isOptional: true)
        return nil
    }

    func nestedContainer<Values: CodingKey>(
        keyedBy type: Values.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Values> {
        throw ProbeError.custom("it reads what is inside '\(key.stringValue)' itself")
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        throw ProbeError.custom("it reads what is inside '\(key.stringValue)' itself")
    }

    func superDecoder() throws -> any Decoder { throw ProbeError.custom("it is a class with a superclass") }

    func superDecoder(forKey key: Key) throws -> any Decoder {
        throw ProbeError.custom("it is a class with a superclass")
    }

    func note(_ type: any Decodable.Type, _ key: Key, isOptional: Bool) throws {
        let name = key.stringValue
        try probe.note(
            TypeShape.Member(
                name: name, eventName: EventShape.member(for: key),
                property: keys.first { $0.key.stringValue == name }?.name ?? name, type: type, isOptional: isOptional,
                clash: EventShape.clash(key)))
    }
}
