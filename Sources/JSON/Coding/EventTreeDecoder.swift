/// The `Decoder` of an event, always the outermost value of its tape.
struct EventTreeDecoder: Decoder {
    let tape: DecodingTape

    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        let members = try KeyedValueDecoder<Key>(tape: tape, index: 0)
        return KeyedDecodingContainer(KeyedEventDecoder(members: members, kind: try? tape.eventKind()))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        throw tape.mismatch([Any].self, at: 0, expected: "an array")
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer {
        _ = try tape.entry(0)
        return SingleEventDecoder(tape: tape)
    }
}

extension DecodingTape {
    /// Of the event that the tape holds.
    func eventKind() throws -> String {
        try checkDuplicates(inObject: 0)
        let key = PathKey.member(EventShape.kind)
        guard let member = try member(EventShape.kind, inObject: 0) else { throw missing(key, inObject: 0) }
        return try string(at: member)
    }
}
