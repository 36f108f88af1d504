/// An enum case's associated values, which are members of the event itself under the wire's names.
struct CaseValuesDecoder<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let tape: DecodingTape

    var codingPath: [any CodingKey] { [] }

    /// Synthesized code doesn't ask. Nothing but the wire's own names could be told.
    var allKeys: [Key] { members.allKeys.compactMap { Key(stringValue: $0.stringValue) } }

    func contains(_ key: Key) -> Bool {
        members.contains(wireKey(key))
    }

    func decodeNil(forKey key: Key) throws -> Bool {
        try members.decodeNil(forKey: checked(key))
    }

    /// Stands for all of the protocol's overloads.
    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
        try members.decode(type, forKey: checked(key))
    }

    /// Stands for all of the protocol's overloads.
    func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? {
        try members.decodeIfPresent(type, forKey: checked(key))
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<NestedKey> {
        try members.nestedContainer(keyedBy: type, forKey: checked(key))
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try members.nestedUnkeyedContainer(forKey: checked(key))
    }

    func superDecoder() throws -> any Decoder { try members.superDecoder() }

    func superDecoder(forKey key: Key) throws -> any Decoder { try members.superDecoder(forKey: checked(key)) }

    /// Checked when the event's own container was made.
    private var members: KeyedValueDecoder<PathKey> { KeyedValueDecoder(checkedObject: 0, of: tape) }

    private func wireKey(_ key: Key) -> PathKey { .member(EventShape.member(for: key)) }

    private func checked(_ key: Key) throws -> PathKey {
        let wireKey = wireKey(key)
        guard let clash = EventShape.clash(key) else { return wireKey }
        throw DecodingError.dataCorrupted(DecodingError.Context(codingPath: [wireKey], debugDescription: clash))
    }
}
