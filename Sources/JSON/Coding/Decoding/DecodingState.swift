/// The tape and the failures that all `Decoder`s and containers of one `decode` call share.
///
/// A decoder or container that is kept beyond the decoding throws and never reads the text.
///
/// Exclusive access isn't checked: a decoding runs on one thread, and each property is read or written in one statement.
final class DecodingState: PooledCoder {
    let tape = DecodingTape()
    /// How many calls of `init(from:)` are nested in each other now.
    @exclusivity(unchecked) private var calls = 0
    /// The innermost entry whose `init(from:)` threw, for errors that carry no path of their own.
    @exclusivity(unchecked) private var failedEntry: Int?
    /// The entry of the value of the event's `kind`; nil if there is none or the value isn't an event.
    @exclusivity(unchecked) var kindMember: Int?
    /// The reason why the event's `kind` is invalid. It replaces the error of the type's synthesized code for that kind.
    @exclusivity(unchecked) var kindFailure: String?
    /// The type that was last found to be decoded by its own code: the elements of an array have the same one.
    @exclusivity(unchecked) var ownType: ObjectIdentifier?
    /// What types know of each object's members, by the object's entry; nil unless the decoding looks for unknown members.
    /// Several types may decode one object: a value, and the parts that it decodes from the same decoder.
    @exclusivity(unchecked) private var knownMembers: [Int: [(keys: ObjectIdentifier, know: (String) -> Bool)]]?
    /// Whether a decoding that looks for unknown members has met a value of a class.
    @exclusivity(unchecked) private var hasMetObject = false
    @exclusivity(unchecked) var nextInPool: Unmanaged<DecodingState>?
    @exclusivity(unchecked) var keyTypes = KeyTypes<ObjectDecoder>()

    private static let pool = CoderPool<DecodingState>()

    /// Fills a tape with `value` and calls `body` with it.
    static func decode<T>(
        _ value: JSONValue, at path: JSONPointer, _ body: (DecodingState) throws -> T
    ) throws(JSONCodingError) -> T {
        let lent = take()
        defer { giveBack(lent) }
        let state = lent.takeUnretainedValue()
        try state.tape.fill(value.text, at: path)
        return try state.decode(0, at: path, body)
    }

    /// Returns a state with an empty tape, for use until `giveBack`.
    static func take() -> Unmanaged<DecodingState> { pool.take() ?? .passRetained(DecodingState()) }

    static func giveBack(_ state: Unmanaged<DecodingState>) {
        state._withUnsafeGuaranteedRef { $0.tape.clear() }
        // A decoder that the user's code has kept refers to this state, and must never see another text.
        if state.isOnlyReference { pool.put(state) } else { state.release() }
    }

    /// Runs `body` with the entry `root` as the value to decode, and converts its errors to `JSONCodingError`.
    func decode<T>(
        _ root: Int, at path: JSONPointer, _ body: (DecodingState) throws -> T
    ) throws(JSONCodingError) -> T {
        tape.root = root
        defer {
            kindMember = nil
            if failedEntry != nil { failedEntry = nil }
            if kindFailure != nil { kindFailure = nil }
        }
        do {
            return try body(self)
        } catch {
            throw codingError(error, at: path)
        }
    }

    /// Calls `T.init(from:)`, limits how deep such calls nest, and remembers where one failed.
    ///
    /// - Parameter isEvent: whether the value is an event as a whole.
    func initialize<T: Decodable>(_ type: T.Type, at index: Int, isEvent: Bool = false) throws -> T {
        guard calls < CodingLimits.calls else { throw tape.corrupted(at: index, "nested too deep to decode") }
        calls += 1
        let lent = keyTypes.lent
        defer {
            calls -= 1
            keyTypes.takeBack(downTo: lent)
        }
        if failedEntry != nil { failedEntry = nil }
        if knownMembers != nil, T.self is AnyObject.Type { hasMetObject = true }
        do {
            return try T(from: ValueTreeDecoder(state: self, index: index, isEvent: isEvent))
        } catch {
            if failedEntry == nil { failedEntry = index }
            throw error
        }
    }

    /// Returns a container for the object at `index`.
    ///
    /// - Throws: if the value isn't an object.
    func valueContainer<Key: CodingKey>(at index: Int) throws -> KeyedDecodingContainer<Key> {
        try tape.beginObject(index)
        if knownMembers != nil { noteMembers(of: Key.self, at: index) }
        return container(.value, at: index)
    }

    private func noteMembers<Key: CodingKey>(of type: Key.Type, at index: Int) {
        knownMembers?[index, default: []].append((ObjectIdentifier(type), { Key(stringValue: $0) != nil }))
    }

    /// Decodes the whole value. Throws for the first member in the text that no type knows.
    func decodeStrictly<T: Decodable>(_ type: T.Type) throws -> T {
        try decode(type) { member in throw tape.corrupted(at: member, "unknown member") }
    }

    /// Decodes the whole value and reports unknown members.
    ///
    /// - Parameter unknown: called with the entry of each member that no type knows, in the order of the text. In objects of
    ///   one type, a name is reported only once: a list may have a hundred thousand such objects.
    private func decode<T: Decodable>(_ type: T.Type, unknown: (_ member: Int) throws -> Void) throws -> T {
        knownMembers = [:]
        defer { knownMembers = nil }
        let value = try decode(type, at: tape.root)
        var found: [[ObjectIdentifier]: Set<String>] = [:]
        for (object, known) in (knownMembers ?? [:]).sorted(by: { $0.key < $1.key }) {
            for key in try tape.keys(ofObject: object) {
                let name = tape.stringText(tape.entries[key]).string()
                // A class decodes its superclass from the member `super`.
                guard name != "super", !known.contains(where: { $0.know(name) }),
                    found[known.map(\.keys), default: []].insert(name).inserted
                else { continue }
                try unknown(key + 1)
            }
        }
        return value
    }

    /// Decodes the whole value, and appends the paths of the members that no type knows to `paths`.
    ///
    /// - Returns: the value, and whether it contains an instance of a class.
    func decode<T: Decodable>(
        _ type: T.Type, unknown paths: inout [JSONPointer]
    ) throws -> (value: T, hasObjects: Bool) {
        hasMetObject = false
        let value = try decode(type) { paths.append(JSONPointer.root.appending(tape.codingPath(to: $0))) }
        return (value, hasMetObject)
    }

    /// Returns a container for the object at `index`. `tape.beginObject` must have been called for that object.
    func container<Key: CodingKey>(_ role: ObjectRole, at index: Int) -> KeyedDecodingContainer<Key> {
        keyFacts(Key.self)._withUnsafeGuaranteedRef { $0.container(of: self, index: index, role: role) }
    }

    /// Returns the facts about a key type, as a reference that isn't counted: `keyTypes` owns them.
    @inline(__always)
    func keyFacts<Key: CodingKey>(_ type: Key.Type) -> Unmanaged<DecodingKeys<Key>> {
        // Facts that are kept for `Key` are always of this type.
        .fromOpaque((keyTypes[type] ?? newKeyFacts(type)).toOpaque())
    }

    @inline(never)
    private func newKeyFacts<Key: CodingKey>(_ type: Key.Type) -> Unmanaged<KeyFacts<ObjectDecoder>> {
        keyTypes.insert(DecodingKeys<Key>(), for: type)
    }

    /// Converts an error of the user's code to one that can be shown to a client.
    private func codingError(_ error: any Error, at base: JSONPointer) -> JSONCodingError {
        guard let error = error as? DecodingError else {
            let path = failedEntry.map { base.appending(tape.codingPath(to: $0)) } ?? base
            return JSONCodingError(path: path, reason: String(describing: error))
        }
        switch error {
        case .keyNotFound(let key, let context):
            return JSONCodingError(path: base.appending(context.codingPath + [key]), reason: "missing")
        case .typeMismatch(_, let context) where context.codingPath.isEmpty,
            .dataCorrupted(let context) where context.codingPath.isEmpty:
            // For an unknown kind, synthesized code throws an error about keys, with the event's own path.
            guard let kindFailure else { fallthrough }
            return JSONCodingError(path: base.appending(EventShape.kind), reason: kindFailure)
        case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
            return JSONCodingError(path: base.appending(context.codingPath), reason: context.debugDescription)
        @unknown default:
            return JSONCodingError(path: base, reason: String(describing: error))
        }
    }
}
