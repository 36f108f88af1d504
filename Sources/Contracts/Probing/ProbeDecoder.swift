import JSON
import ViewModels

/// A decoder that gives a type's `init(from:)` a message with every member that it asks for, and notes in the probe what it
/// asked for.
struct ProbeDecoder: Decoder {
    let probe: Probe
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard let keys = KeyNames.all(of: type) else {
            throw ProbeError.custom("its keys, \(type), aren't an enum's")
        }
        try probe.begin(keys)
        guard let index = probe.caseIndex else {
            return KeyedDecodingContainer(ProbedMembers(probe: probe, keys: keys))
        }
        guard keys.indices.contains(index) else { throw ProbeError.noSuchCase }
        probe.choose(keys[index].name, keys[index].key.stringValue, of: keys.count)
        return KeyedDecodingContainer(ProbedCase(probe: probe, key: keys[index].key))
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer {
        ProbedValue(probe: probe)
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        throw ProbeError.custom("it reads an array")
    }
}

extension ProbeError {
    static let noSuchCase = ProbeError(reason: "there is no such case")
}

/// The container of an object's members, or of those of an enum's case. Every member is present.
struct ProbedMembers<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let probe: Probe
    let keys: [(name: String, key: Key)]
    var codingPath: [any CodingKey] { [] }
    var allKeys: [Key] { keys.map(\.key) }

    func contains(_ key: Key) -> Bool {
        probe.noteOptional(key.stringValue)
        return true
    }

    func decodeNil(forKey key: Key) throws -> Bool {
        probe.noteOptional(key.stringValue)
        if probe.isLenient { return false }
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

// Overrides of the protocol's default implementations, which only ask whether a member is there and isn't null. They would
// never ask for a value, so its type would stay unknown.

extension ProbedMembers {
    func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? {
        try absent(type, key)
    }

    func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? {
        try absent(type, key)
    }

    func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? {
        try absent(type, key)
    }

    func decodeIfPresent(_ type: Float.Type, forKey key: Key) throws -> Float? {
        try absent(type, key)
    }

    func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? {
        try absent(type, key)
    }

    func decodeIfPresent(_ type: Int8.Type, forKey key: Key) throws -> Int8? {
        try absent(type, key)
    }

    func decodeIfPresent(_ type: Int16.Type, forKey key: Key) throws -> Int16? {
        try absent(type, key)
    }

    func decodeIfPresent(_ type: Int32.Type, forKey key: Key) throws -> Int32? {
        try absent(type, key)
    }

    func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? {
        try absent(type, key)
    }

    func decodeIfPresent(_ type: UInt.Type, forKey key: Key) throws -> UInt? {
        try absent(type, key)
    }

    func decodeIfPresent(_ type: UInt8.Type, forKey key: Key) throws -> UInt8? {
        try absent(type, key)
    }

    func decodeIfPresent(_ type: UInt16.Type, forKey key: Key) throws -> UInt16? {
        try absent(type, key)
    }

    func decodeIfPresent(_ type: UInt32.Type, forKey key: Key) throws -> UInt32? {
        try absent(type, key)
    }

    func decodeIfPresent(_ type: UInt64.Type, forKey key: Key) throws -> UInt64? {
        try absent(type, key)
    }

    private func absent<T: Decodable>(_ type: T.Type, _ key: Key) throws -> T? {
        try note(type, key, isOptional: true)
        return nil
    }
}

/// The container of an enum's message, whose only member names the case.
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

/// The container of a message that is a single value.
struct ProbedValue: SingleValueDecodingContainer {
    let probe: Probe
    var codingPath: [any CodingKey] { [] }

    func decodeNil() -> Bool { false }

    func decode<T: Decodable>(_ type: T.Type) throws -> T {
        try probe.note(value: type)
        return try probe.samples.sample(of: type)
    }
}
