import JSON

/// An enum's message: the one member that names the case.
struct ProbedCase<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let probe: Probe
    let key: Key
    var codingPath: [any CodingKey] { [] }
    var allKeys: [Key] { [key] }

    func contains(_ key: Key) -> Bool { key.stringValue == self.key.stringValue }

    func decodeNil(forKey key: Key) throws -> Bool { throw notTheCompilers }

    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T { throw notTheCompilers }

    func nestedContainer<Values: CodingKey>(
        keyedBy type: Values.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Values> {
        guard EventShape.isCase(values: type), let keys = KeyNames.all(of: type) else { throw notTheCompilers }
        return KeyedDecodingContainer(ProbedMembers(probe: probe, keys: keys))
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer { throw notTheCompilers }

    func superDecoder() throws -> any Decoder { throw notTheCompilers }

    func superDecoder(forKey key: Key) throws -> any Decoder { throw notTheCompilers }

    private var notTheCompilers: ProbeError { .custom("it doesn't read '\(key.stringValue)' as a case") }
}
