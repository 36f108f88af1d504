/// An object's members, found on the tape; holds nothing itself.
struct KeyedValueDecoder<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let tape: DecodingTape
    let index: Int

    init(tape: DecodingTape, index: Int) throws {
        guard try tape.kind(at: index) == .object else {
            throw tape.mismatch([String: Any].self, at: index, expected: "an object")
        }
        try tape.checkDuplicates(inObject: index)
        self.tape = tape
        self.index = index
    }

    /// For an object that a container was made for before.
    init(checkedObject index: Int, of tape: DecodingTape) {
        self.tape = tape
        self.index = index
    }

    var codingPath: [any CodingKey] { tape.codingPath(to: index) }

    var allKeys: [Key] {
        let keys = try? tape.keys(ofObject: index).compactMap { key in
            Key(stringValue: tape.stringText(try tape.entry(key)).string())
        }
        return keys ?? []
    }

    func contains(_ key: Key) -> Bool {
        (try? tape.member(key.stringValue, inObject: index)) != nil
    }

    func decodeNil(forKey key: Key) throws -> Bool {
        try tape.isNull(at: member(key))
    }

    /// Stands for all of the protocol's overloads.
    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
        try tape.decode(type, at: member(key))
    }

    /// Stands for all of the protocol's overloads; one search where the standard library's own does three.
    func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? {
        guard let member = try tape.member(key.stringValue, inObject: index), try !tape.isNull(at: member) else {
            return nil
        }
        return try tape.decode(type, at: member)
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<NestedKey> {
        KeyedDecodingContainer(try KeyedValueDecoder<NestedKey>(tape: tape, index: member(key)))
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try UnkeyedValueDecoder(tape: tape, index: member(key))
    }

    func superDecoder() throws -> any Decoder {
        try decoder(forMember: PathKey.member("super"))
    }

    func superDecoder(forKey key: Key) throws -> any Decoder {
        try decoder(forMember: key)
    }

    func member(_ key: Key) throws -> Int {
        guard let member = try tape.member(key.stringValue, inObject: index) else {
            throw tape.missing(key, inObject: index)
        }
        return member
    }

    private func decoder(forMember key: some CodingKey) throws -> any Decoder {
        guard let member = try tape.member(key.stringValue, inObject: index) else {
            throw tape.missing(key, inObject: index)
        }
        return ValueTreeDecoder(tape: tape, index: member)
    }
}
