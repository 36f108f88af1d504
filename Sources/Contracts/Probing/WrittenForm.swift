import JSON
import ViewModels

/// The form of a type with a hand-written `init(from:)` and a compiler-made `encode(to:)`, which determines what is stored and
/// sent.
///
/// A hand-written `init(from:)` usually reads older forms, too. So a member that the initializer can do without is optional,
/// and so is a member that only the initializer knows.
enum WrittenForm {
    /// Returns the shape of what the type encodes.
    ///
    /// - Throws: if the type isn't encoded as the compiler's code would.
    static func shape<T: Decodable>(of type: T.Type) throws(ProbeError) -> TypeShape {
        if let rawValues = RawValues.all(of: type) { return .rawValues(rawValues) }
        guard CaseNames.names(of: type) == nil else { throw unknown }
        let probe = Probe(caseIndex: nil, Samples(), isLenient: true)
        let (value, problem) = TypeShape.run(type, probe)
        if let problem { throw problem }
        guard let value = value as? any Encodable, let properties = StoredProperties.of(type) else { throw unknown }
        let form = FormEncoder()
        do {
            try value.encode(to: form)
        } catch {
            throw error as? ProbeError ?? unknown
        }
        guard form.isKeyed, form.members.allSatisfy({ StoredProperties.agree(properties, with: $0) }) else {
            throw unknown
        }
        let read = Dictionary(probe.members.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        var members = form.members
        for index in members.indices {
            let name = members[index].name
            if read[name]?.isOptional ?? true || probe.optional.contains(name) { members[index].isOptional = true }
        }
        for var other in probe.members where !members.contains(where: { $0.name == other.name }) {
            other.isOptional = true
            members.append(other)
        }
        return .object(members)
    }

    private static let unknown = ProbeError.custom(
        "its init(from:) is written by hand; conform to SchemaProviding to say what it reads")
}

extension Documentation {
    /// Returns the shape of a type that isn't an event.
    ///
    /// - Throws: if the type's form on the wire isn't certain.
    func shape(of type: any Decodable.Type, _ name: TypeName) throws(ProbeError) -> TypeShape {
        let isOnlyRead = isOnlyReadByHand(name)
        if !isOnlyRead { try checkCoding(name) }
        let shape = try isOnlyRead ? WrittenForm.shape(of: type) : TypeShape.of(type)
        try checkNames(name, shape)
        return shape
    }
}

/// An encoder that notes what a type's `encode(to:)` writes.
private final class FormEncoder: Encoder {
    fileprivate(set) var members: [TypeShape.Member] = []
    private(set) var isKeyed = false
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        isKeyed = true
        return KeyedEncodingContainer(WrittenMembers(form: self, keys: KeyNames.all(of: type) ?? []))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer { NothingWritten() }
    func singleValueContainer() -> any SingleValueEncodingContainer { NothingWritten() }
}

private struct WrittenMembers<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let form: FormEncoder
    let keys: [(name: String, key: Key)]
    var codingPath: [any CodingKey] { [] }

    func encodeNil(forKey key: Key) throws { throw ProbeError.byHand }

    func encode<T: Encodable>(_ value: T, forKey key: Key) throws { try note(T.self, key, isOptional: false) }

    func encodeIfPresent<T: Encodable>(_ value: T?, forKey key: Key) throws { try note(T.self, key, isOptional: true) }

    func nestedContainer<Values: CodingKey>(
        keyedBy type: Values.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Values> { KeyedEncodingContainer(NothingWrittenByKey()) }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { NothingWritten() }
    func superEncoder() -> any Encoder { FormEncoder() }
    func superEncoder(forKey key: Key) -> any Encoder { FormEncoder() }

    private func note(_ type: any Encodable.Type, _ key: Key, isOptional: Bool) throws {
        guard let type = type as? any Decodable.Type else { throw ProbeError(reason: ContractBuilder.notDecodable) }
        let name = key.stringValue
        form.members.append(
            TypeShape.Member(
                name: name, eventName: EventShape.member(for: key),
                property: keys.first { $0.key.stringValue == name }?.name ?? name, type: type, isOptional: isOptional,
                clash: EventShape.clash(key)))
    }
}

// Overrides of the protocol's default implementations, which pass over nil.

extension WrittenMembers {
    func encodeIfPresent(_ value: Bool?, forKey key: Key) throws { try note(Bool.self, key, isOptional: true) }
    func encodeIfPresent(_ value: String?, forKey key: Key) throws { try note(String.self, key, isOptional: true) }
    func encodeIfPresent(_ value: Double?, forKey key: Key) throws { try note(Double.self, key, isOptional: true) }
    func encodeIfPresent(_ value: Float?, forKey key: Key) throws { try note(Float.self, key, isOptional: true) }
    func encodeIfPresent(_ value: Int?, forKey key: Key) throws { try note(Int.self, key, isOptional: true) }
    func encodeIfPresent(_ value: Int8?, forKey key: Key) throws { try note(Int8.self, key, isOptional: true) }
    func encodeIfPresent(_ value: Int16?, forKey key: Key) throws { try note(Int16.self, key, isOptional: true) }
    func encodeIfPresent(_ value: Int32?, forKey key: Key) throws { try note(Int32.self, key, isOptional: true) }
    func encodeIfPresent(_ value: Int64?, forKey key: Key) throws { try note(Int64.self, key, isOptional: true) }
    func encodeIfPresent(_ value: UInt?, forKey key: Key) throws { try note(UInt.self, key, isOptional: true) }
    func encodeIfPresent(_ value: UInt8?, forKey key: Key) throws { try note(UInt8.self, key, isOptional: true) }
    func encodeIfPresent(_ value: UInt16?, forKey key: Key) throws { try note(UInt16.self, key, isOptional: true) }
    func encodeIfPresent(_ value: UInt32?, forKey key: Key) throws { try note(UInt32.self, key, isOptional: true) }
    func encodeIfPresent(_ value: UInt64?, forKey key: Key) throws { try note(UInt64.self, key, isOptional: true) }
}

extension ProbeError {
    fileprivate static let byHand = custom("it is written by hand; conform to SchemaProviding to say what it makes")
}

/// A container that throws for whatever the compiler's `encode(to:)` of a struct wouldn't write.
private struct NothingWritten: UnkeyedEncodingContainer, SingleValueEncodingContainer {
    var codingPath: [any CodingKey] { [] }
    var count: Int { 0 }

    func encodeNil() throws { throw ProbeError.byHand }
    func encode<T: Encodable>(_ value: T) throws { throw ProbeError.byHand }
    func nestedContainer<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(NothingWrittenByKey())
    }
    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { self }
    func superEncoder() -> any Encoder { FormEncoder() }
}

private struct NothingWrittenByKey<Key: CodingKey>: KeyedEncodingContainerProtocol {
    var codingPath: [any CodingKey] { [] }

    func encodeNil(forKey key: Key) throws { throw ProbeError.byHand }
    func encode<T: Encodable>(_ value: T, forKey key: Key) throws { throw ProbeError.byHand }
    func nestedContainer<Values: CodingKey>(
        keyedBy type: Values.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Values> { KeyedEncodingContainer(NothingWrittenByKey<Values>()) }
    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { NothingWritten() }
    func superEncoder() -> any Encoder { FormEncoder() }
    func superEncoder(forKey key: Key) -> any Encoder { FormEncoder() }
}
