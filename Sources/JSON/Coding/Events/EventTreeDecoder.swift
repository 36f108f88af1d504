/// The `Decoder` of an event, always the outermost value of its tape.
struct EventTreeDecoder: Decoder {
    let state: DecodingState

    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        _ = try state.findKind()
        return state.container(.event, at: 0)
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        throw state.tape.mismatch([Any].self, at: 0, expected: "an array")
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer {
        _ = try state.tape.entry(0)
        return SingleEventDecoder(state: state)
    }
}

/// The container that an enum of strings reads its raw value from: the event's `kind`.
struct SingleEventDecoder: SingleValueDecodingContainer {
    let state: DecodingState

    var codingPath: [any CodingKey] { [] }

    func decodeNil() -> Bool { false }

    /// An event that wraps another one gets the same event.
    func decode<T: Decodable>(_ type: T.Type) throws -> T {
        if EventShape.isScalar(type) { return try state.decode(type, at: 0) }
        guard T.self == String.self else { return try state.initializeEvent(type) }
        guard let member = try state.findKind() else {
            throw ObjectDecoder(state: state, index: 0, role: .event).missing(PathKey.member(EventShape.kind))
        }
        let kind = try state.string(at: member)
        state.kindFailure = EventShape.unknown(kind)
        // The guard has shown `T` to be `String`.
        return unsafeBitCast(kind, to: T.self)
    }
}

/// How an event's cases are told apart.
extension ObjectDecoder {
    /// For an enum the one case that `kind` names, or none. SE-0295's code then fails for anything but one.
    func eventKeys<Key: CodingKey>() -> [Key] {
        if let kind = state.kind, let kept = state.keyFacts(Key.self).keys(kind: kind) {
            // They were kept for this key type.
            return unsafeDowncast(kept, to: Kept<[Key]>.self).copy()
        }
        return newEventKeys()
    }

    @inline(never)
    private func newEventKeys<Key: CodingKey>() -> [Key] {
        guard EventShape.isClosed(Key.self) else { return allKeys() }
        if let kind = state.kind?.string(), let key = Key(stringValue: kind) {
            state.keyFacts(Key.self).keep([key], kind: kind)
            return [key]
        }
        state.kindFailure = state.unknownKind
        return Key(stringValue: EventShape.kind) == nil ? [] : allKeys()
    }

    /// A container for the values of the case that `kind` names, which are members of the event itself.
    func caseContainer<Key: CodingKey>(kind: String) throws -> KeyedDecodingContainer<Key> {
        // Of an enum with a case `kind`, `allKeys` has that one where `kind` named no case.
        guard state.kind?.isEqual(to: kind) == true else {
            let path = [PathKey.member(EventShape.kind)]
            throw DecodingError.dataCorrupted(
                DecodingError.Context(codingPath: path, debugDescription: state.unknownKind))
        }
        return state.container(.caseValues, at: 0)
    }
}

/// The event's `kind`.
extension DecodingState {
    /// The entry of its value; nil where there is none.
    ///
    /// - Throws: where the event is no object.
    func findKind() throws -> Int? {
        try tape.beginObject(0)
        kindMember = try tape.member(EventShape.kind, inObject: 0)
        return kindMember
    }

    /// Nil where it is missing or isn't a string.
    var kind: JSONStringText? {
        guard let kindMember, let entry = try? tape.entry(kindMember), tape.text[entry.offset] == ASCII.quote else {
            return nil
        }
        return tape.stringText(entry)
    }

    /// The reason where the kind names no case.
    var unknownKind: String {
        guard let kindMember, let found = try? tape.kind(at: kindMember) else { return "missing" }
        guard let kind else { return "expected a string but found \(found)" }
        return EventShape.unknown(kind.string())
    }
}
