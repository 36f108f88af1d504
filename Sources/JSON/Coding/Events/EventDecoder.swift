/// A View's event from its flat shape on the wire: `{"kind":"selectOrder","index":3}`.
///
/// For enums with synthesized `Codable`, enums of strings, and types whose own `Codable` reads the flat members. Only
/// the event itself has this shape; the values in it have their own `Codable` form, as with `ValueDecoder`.
package struct EventDecoder {
    package init() {}

    /// - Parameter path: the place of `value` in the message; errors begin with it.
    /// - Throws: where the event is no object, has no such kind, or a member doesn't have the form that `type` asks
    ///   for.
    package func decode<T: Decodable>(
        _ type: T.Type, from value: JSONValue, at path: JSONPointer = .root
    ) throws(JSONCodingError) -> T {
        guard value.kind == .object else {
            throw JSONCodingError(path: path, reason: "expected an object but found \(value.kind)")
        }
        return try DecodingState.decode(value, at: path) { state in
            try state.initializeEvent(type)
        } failure: { state, error in
            kindError(state, error, at: path)
        }
    }

    /// A synthesized `init(from:)` fails for an unknown kind in words that speak of keys, at the event's own path.
    private func kindError(_ state: DecodingState, _ error: any Error, at path: JSONPointer) -> JSONCodingError? {
        guard let reason = state.kindFailure, let error = error as? DecodingError else { return nil }
        switch error {
        case .typeMismatch(_, let context) where context.codingPath.isEmpty,
            .dataCorrupted(let context) where context.codingPath.isEmpty:
            return JSONCodingError(path: path.appending(EventShape.kind), reason: reason)
        default:
            return nil
        }
    }
}

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
            throw state.missing(PathKey.member(EventShape.kind), inObject: 0)
        }
        let kind = try state.string(at: member)
        state.kindFailure = EventShape.unknown(kind)
        // The guard has shown `T` to be `String`.
        return unsafeBitCast(kind, to: T.self)
    }
}

/// The cases of an event.
extension DecodingState {
    /// For an enum the one case that `kind` names, or none. SE-0295's code then fails for anything but one.
    func eventKeys<Key: CodingKey>() -> [Key] {
        if let kind, let kept = keyFacts(Key.self).keys(kind: kind) {
            // They were kept for this key type.
            return unsafeDowncast(kept, to: Kept<[Key]>.self).copy()
        }
        return newEventKeys()
    }

    @inline(never)
    private func newEventKeys<Key: CodingKey>() -> [Key] {
        guard EventShape.isClosed(Key.self) else { return allKeys(ofObject: 0) }
        if let kind = kind?.string(), let key = Key(stringValue: kind) {
            keyFacts(Key.self).keep([key], kind: kind)
            return [key]
        }
        kindFailure = unknownKind
        return Key(stringValue: EventShape.kind) == nil ? [] : allKeys(ofObject: 0)
    }

    /// A container for the values of the case that `kind` names, which are members of the event itself.
    func caseContainer<Key: CodingKey>(kind: String) throws -> KeyedDecodingContainer<Key> {
        // Of an enum with a case `kind`, `allKeys` has that one where `kind` named no case.
        guard self.kind?.isEqual(to: kind) == true else {
            let path = [PathKey.member(EventShape.kind)]
            throw DecodingError.dataCorrupted(
                DecodingError.Context(codingPath: path, debugDescription: unknownKind))
        }
        return container(.caseValues, at: 0)
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
