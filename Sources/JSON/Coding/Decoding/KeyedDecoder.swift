/// The keyed container of a decoder. It reads the members of a value, of an event, or of an enum's case.
struct KeyedDecoder<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let object: ObjectDecoder

    var codingPath: [any CodingKey] { object.codingPath }

    var allKeys: [Key] {
        guard let state = try? object.state() else { return [] }
        return object.role == .event ? state.eventKeys() : state.allKeys(ofObject: object.index)
    }

    func contains(_ key: Key) -> Bool {
        let name = object.role == .caseValues ? EventShape.member(for: key) : key.stringValue
        return (try? object.find(name)) != nil
    }

    func decodeNil(forKey key: Key) throws -> Bool { try object.state().tape.isNull(at: member(key)) }

    /// Decodes a member. Serves every overload of the protocol except those below.
    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
        try object.state().decode(type, at: member(key))
    }

    // Overloads for the types that nearly all members have. The generic function takes longer for these than reading the value:
    // it copies the value and asks for its type at run time.

    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool {
        try object.withState { try $0.boolean(at: member(key)) }
    }

    func decode(_ type: Int.Type, forKey key: Key) throws -> Int {
        try object.withState { try $0.integer(type, at: member(key)) }
    }

    func decode(_ type: String.Type, forKey key: Key) throws -> String {
        try object.withState { try $0.string(at: member(key)) }
    }

    func decode(_ type: Double.Type, forKey key: Key) throws -> Double {
        try object.withState { try $0.double(at: member(key)) }
    }

    /// Decodes a member if it exists and isn't null. Serves every overload of the protocol, and searches once, where the
    /// standard library's default searches three times.
    func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? {
        let state = try object.state()
        guard let member = try object.find(name(key)), try !state.tape.isNull(at: member) else { return nil }
        return try state.decode(type, at: member)
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<NestedKey> {
        let state = try object.state()
        if object.role == .event,
            state.keyFacts(Key.self)._withUnsafeGuaranteedRef({ $0.isCase(Key.self, values: type) })
        {
            return try state.caseContainer(kind: key.stringValue)
        }
        return try state.valueContainer(at: member(key))
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try UnkeyedValueDecoder(state: object.state(), index: member(key))
    }

    func superDecoder() throws -> any Decoder {
        let key = PathKey.member("super")
        guard let member = try object.find(key.stringValue) else { throw object.missing(key) }
        return ValueTreeDecoder(state: try object.state(), index: member)
    }

    func superDecoder(forKey key: Key) throws -> any Decoder {
        ValueTreeDecoder(state: try object.state(), index: try member(key))
    }

    /// Returns the entry of the member's value. Throws if there is no such member.
    @inline(__always)
    private func member(_ key: Key) throws -> Int {
        let name = try name(key)
        if let member = try object.find(name) { return member }
        throw object.role == .caseValues ? object.missing(PathKey.member(name)) : object.missing(key)
    }

    /// Returns the member's name on the wire.
    ///
    /// - Throws: if a case's associated value can't have its label on the wire.
    @inline(__always)
    private func name(_ key: Key) throws -> String {
        let label = key.stringValue
        return object.role != .caseValues || EventShape.isClear(label) ? label : try caseName(key)
    }

    @inline(never)
    private func caseName(_ key: Key) throws -> String {
        let (name, clash) = try object.state().keyFacts(Key.self)._withUnsafeGuaranteedRef { $0.wireName(of: key) }
        guard let clash else { return name }
        throw DecodingError.corrupted(member: name, clash)
    }
}

/// The object on the tape that a keyed container reads.
final class ObjectDecoder: ContainerObject {
    /// The decoding's state; nil while the container waits for its next use.
    @exclusivity(unchecked) private var user: DecodingState?
    @exclusivity(unchecked) private(set) var index = 0
    @exclusivity(unchecked) private(set) var role = ObjectRole.value

    /// Begins a use of the container for the object at `index`.
    func begin(_ state: DecodingState, index: Int, role: ObjectRole) {
        (user, self.index, self.role) = (state, index, role)
    }

    /// Ends a use, so that any later read throws.
    ///
    /// - Parameter isKept: whether the user's code has kept the container. Then it can be read until the whole decoding ends,
    ///   as no other container uses this object.
    func end(isKept: Bool) {
        if !isKept { user = nil }
    }

    @inline(__always)
    func state() throws -> DecodingState {
        guard let user else { throw DecodingTape.outlived }
        return user
    }

    /// Calls `body` with the state, unretained, as retaining takes longer than reading a number. That is safe: this object
    /// retains the state, and `body` calls no code of the user's.
    @inline(__always)
    func withState<R>(_ body: (DecodingState) throws -> R) throws -> R {
        guard let user else { throw DecodingTape.outlived }
        return try Unmanaged.passUnretained(user)._withUnsafeGuaranteedRef(body)
    }

    var codingPath: [any CodingKey] { role == .value ? user?.tape.codingPath(to: index) ?? [] : [] }

    /// Returns the entry of a member's value; nil if there is no such member.
    func find(_ name: String) throws -> Int? { try withState { try $0.tape.member(name, inObject: index) } }

    func missing(_ key: any CodingKey) -> DecodingError {
        user?.missing(key, inObject: index) ?? DecodingTape.outlived
    }
}

extension DecodingState {
    func missing(_ key: any CodingKey, inObject index: Int) -> DecodingError {
        .keyNotFound(key, DecodingError.Context(codingPath: tape.codingPath(to: index), debugDescription: "missing"))
    }

    /// Returns the object's keys that the key type accepts, in the order of the text.
    func allKeys<Key: CodingKey>(ofObject index: Int) -> [Key] {
        let names = (try? tape.keys(ofObject: index)) ?? []
        return names.compactMap { Key(stringValue: tape.stringText(tape.entries[$0]).string()) }
    }
}
