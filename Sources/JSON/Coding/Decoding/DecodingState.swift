/// The tape that the `Decoder`s and containers of one `decode` share, and its failures.
///
/// A decoder or container that is kept beyond the decoding throws and never reads the text.
///
/// Not checked for exclusive access: a decoding runs on one thread, and each property is read or written in one
/// statement.
final class DecodingState {
    @exclusivity(unchecked) private(set) var tape = DecodingTape()
    /// How many `init(from:)` run within each other now.
    @exclusivity(unchecked) private var calls = 0
    /// The innermost entry whose `init(from:)` threw, for errors that carry no path of their own.
    @exclusivity(unchecked) private var failedEntry: Int?
    /// Of an event: the entry of its `kind`.
    @exclusivity(unchecked) var kindMember: Int?
    /// The event decoders' own reason against `kind`, in case the type's own code fails for it in its own words.
    @exclusivity(unchecked) var kindFailure: String?
    /// The type that was last found to be decoded by its own code: the elements of an array have the same one.
    @exclusivity(unchecked) var ownType: ObjectIdentifier?
    /// Of a strict decoding: what the types that opened objects know of their members.
    @exclusivity(unchecked) private var knownMembers: KnownMembers?
    @exclusivity(unchecked) private var keyTypes = KeyFactsTable()
    /// The containers of the calls that run. Not counted: `keyTypes` has them.
    private let lent = TrivialStack<Unmanaged<KeyFacts>>(capacity: 8)

    deinit {
        tape.deallocate()
        lent.deallocate()
    }

    private static let pool = CoderPool<DecodingState>()

    /// Lends `body` the tape of `value`.
    ///
    /// - Parameter failure: the error to throw instead of the one that `codingError` makes.
    static func decode<T>(
        _ value: JSONValue, at path: JSONPointer, _ body: (DecodingState) throws -> T,
        failure: (DecodingState, any Error) -> JSONCodingError? = { _, _ in nil }
    ) throws(JSONCodingError) -> T {
        var state = pool.take() ?? DecodingState()
        defer {
            state.end()
            // A decoder that was kept, and has it too, must never see another text.
            if isKnownUniquelyReferenced(&state) { pool.put(state) }
        }
        try state.tape.fill(value.text, at: path)
        do {
            return try body(state)
        } catch {
            throw failure(state, error) ?? state.codingError(error, at: path)
        }
    }

    private func end() {
        tape.clear()
        kindMember = nil
        if failedEntry != nil { failedEntry = nil }
        if kindFailure != nil { kindFailure = nil }
    }

    /// Runs `T.init(from:)`, bounded, and remembers where it failed.
    func initialize<T: Decodable>(_ type: T.Type, at index: Int) throws -> T {
        try call(at: index) { try T(from: ValueTreeDecoder(state: self, index: index)) }
    }

    /// As `initialize`, for a value that is the event.
    func initializeEvent<T: Decodable>(_ type: T.Type) throws -> T {
        try call(at: 0) { try T(from: EventTreeDecoder(state: self)) }
    }

    @inline(__always)
    private func call<T>(at index: Int, _ body: () throws -> T) throws -> T {
        guard calls < CodingLimits.calls else { throw tape.corrupted(at: index, "nested too deep to decode") }
        calls += 1
        let lent = lent.count
        defer {
            calls -= 1
            self.lent.takeBack(downTo: lent)
        }
        if failedEntry != nil { failedEntry = nil }
        do {
            return try body()
        } catch {
            if failedEntry == nil { failedEntry = index }
            throw error
        }
    }

    /// Containers of the calls that run, which are used again after them.
    func note(_ container: KeyFacts) { lent.append(.passUnretained(container)) }

    /// A container for the object at `index`.
    ///
    /// - Throws: where there is no object.
    func valueContainer<Key: CodingKey>(at index: Int) throws -> KeyedDecodingContainer<Key> {
        try tape.beginObject(index)
        if knownMembers != nil { knownMembers?.add(Key.self, at: index) }
        return container(.value, at: index)
    }

    /// Decodes the whole value, and refuses members of its objects that none of their types knows.
    func decodeStrictly<T: Decodable>(_ type: T.Type) throws -> T {
        knownMembers = KnownMembers()
        defer { knownMembers = nil }
        let value = try decode(type, at: 0)
        try knownMembers?.refuseOthers(in: tape)
        return value
    }

    /// A container for the object at `index`, which was begun.
    func container<Key: CodingKey>(_ role: ObjectRole, at index: Int) -> KeyedDecodingContainer<Key> {
        guard let facts = keyTypes[Key.self] else {
            return newKeyFacts(Key.self).container(of: self, index: index, role: role)
        }
        return facts._withUnsafeGuaranteedRef {
            // It was kept for this key type, for which it is always of this type.
            unsafeDowncast($0, to: DecodingKeys<Key>.self).container(of: self, index: index, role: role)
        }
    }

    @inline(__always)
    func keyFacts<Key: CodingKey>(_ type: Key.Type) -> DecodingKeys<Key> {
        if let facts = keyTypes[type] {
            // It was kept for this key type, for which it is always of this type.
            return unsafeDowncast(facts.takeUnretainedValue(), to: DecodingKeys<Key>.self)
        }
        return newKeyFacts(type)
    }

    @inline(never)
    private func newKeyFacts<Key: CodingKey>(_ type: Key.Type) -> DecodingKeys<Key> {
        let facts = DecodingKeys<Key>()
        keyTypes.insert(facts, for: type)
        return facts
    }

    /// An error of the user's code, as a client sees it.
    private func codingError(_ error: any Error, at base: JSONPointer) -> JSONCodingError {
        guard let error = error as? DecodingError else {
            let path = failedEntry.map { base.appending(tape.codingPath(to: $0)) } ?? base
            return JSONCodingError(path: path, reason: String(describing: error))
        }
        switch error {
        case .keyNotFound(let key, let context):
            return JSONCodingError(path: base.appending(context.codingPath + [key]), reason: "missing")
        case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
            return JSONCodingError(path: base.appending(context.codingPath), reason: context.debugDescription)
        @unknown default:
            return JSONCodingError(path: base, reason: String(describing: error))
        }
    }
}

/// The members that types know of the objects that they decode, for a decoding that refuses all others.
///
/// Several types may decode one object: a value and the parts that it takes from the same decoder. A member is known where
/// one of them has a key for it.
struct KnownMembers {
    /// By the entries of objects.
    private var names: [Int: [(String) -> Bool]] = [:]

    /// A type with these keys decodes the object.
    mutating func add<Key: CodingKey>(_ type: Key.Type, at object: Int) {
        names[object, default: []].append { Key(stringValue: $0) != nil }
    }

    /// - Throws: where an object has a member that isn't known; of several, the first in the text.
    func refuseOthers(in tape: DecodingTape) throws {
        for object in names.keys.sorted() {
            let known = names[object] ?? []
            for key in try tape.keys(ofObject: object) {
                let name = tape.stringText(tape.entries[key]).string()
                // By it a class decodes the one above it.
                guard name != "super", !known.contains(where: { $0(name) }) else { continue }
                throw tape.corrupted(at: key + 1, "unknown member")
            }
        }
    }
}
