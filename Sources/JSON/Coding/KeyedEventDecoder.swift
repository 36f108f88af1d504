/// The members of an event, which an enum's synthesized code sees as a single one: the case with its values.
struct KeyedEventDecoder<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let members: KeyedValueDecoder<Key>
    /// Nil when it is missing or not a string.
    let kind: String?

    var codingPath: [any CodingKey] { [] }

    /// For an enum the one case that `kind` names, or none. SE-0295's code then fails for anything but one.
    var allKeys: [Key] {
        guard EventShape.isClosed(Key.self) else { return members.allKeys }
        if let kind, let key = Key(stringValue: kind) { return [key] }
        members.tape.kindFailure = kindFailure
        return Key(stringValue: EventShape.kind) == nil ? [] : members.allKeys
    }

    func contains(_ key: Key) -> Bool { members.contains(key) }

    func decodeNil(forKey key: Key) throws -> Bool { try members.decodeNil(forKey: key) }

    /// Stands for all of the protocol's overloads.
    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T { try members.decode(type, forKey: key) }

    /// Stands for all of the protocol's overloads.
    func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? {
        try members.decodeIfPresent(type, forKey: key)
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<NestedKey> {
        guard EventShape.isCase(key, values: type) else {
            return try members.nestedContainer(keyedBy: type, forKey: key)
        }
        // Of an enum with a case `kind`, `allKeys` has told that one when `kind` named no case.
        guard key.stringValue == kind else {
            let path = [PathKey.member(EventShape.kind)]
            throw DecodingError.dataCorrupted(DecodingError.Context(codingPath: path, debugDescription: kindFailure))
        }
        return KeyedDecodingContainer(CaseValuesDecoder<NestedKey>(tape: members.tape))
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try members.nestedUnkeyedContainer(forKey: key)
    }

    func superDecoder() throws -> any Decoder { try members.superDecoder() }

    func superDecoder(forKey key: Key) throws -> any Decoder { try members.superDecoder(forKey: key) }

    private var kindFailure: String {
        if let kind { return EventShape.unknown(kind) }
        guard let member = try? members.tape.member(EventShape.kind, inObject: 0),
            let found = try? members.tape.kind(at: member)
        else { return "missing" }
        return "expected a string but found \(found)"
    }
}
