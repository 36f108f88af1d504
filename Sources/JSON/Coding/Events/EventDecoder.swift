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
        guard value.kind == .object else { throw Self.noObject(value.kind, at: path) }
        return try DecodingState.decode(value, at: path) { try $0.initialize(type, at: 0, isEvent: true) }
    }

    /// Decodes an event that was kept.
    package func decode<T: Decodable>(
        _ type: T.Type, from value: KeptValue, at path: JSONPointer = .root
    ) throws(JSONCodingError) -> T {
        guard value.kind == .object else { throw Self.noObject(value.kind, at: path) }
        return try value.decode(at: path) { try $0.initialize(type, at: 0, isEvent: true) }
    }

    private static func noObject(_ kind: JSONValue.Kind, at path: JSONPointer) -> JSONCodingError {
        JSONCodingError(path: path, reason: "expected an object but found \(kind)")
    }
}

/// The cases of an event.
extension DecodingState {
    /// For an enum the one case that `kind` names, or none. SE-0295's code then fails for anything but one.
    func eventKeys<Key: CodingKey>() -> [Key] {
        if let kind, let known = keyFacts(Key.self)._withUnsafeGuaranteedRef({ $0.known(kind: kind) }) {
            // They were kept for this key type.
            return unsafeDowncast(known, to: Kept<[Key]>.self).copy()
        }
        return newEventKeys()
    }

    @inline(never)
    private func newEventKeys<Key: CodingKey>() -> [Key] {
        guard EventShape.isClosed(Key.self) else { return allKeys(ofObject: tape.root) }
        if let kind = kind?.string(), let key = Key(stringValue: kind) {
            keyFacts(Key.self)._withUnsafeGuaranteedRef { $0.keep([key], kind: kind) }
            return [key]
        }
        kindFailure = unknownKind
        return Key(stringValue: EventShape.kind) == nil ? [] : allKeys(ofObject: tape.root)
    }

    /// A container for the values of the case that `kind` names, which are members of the event itself.
    func caseContainer<Key: CodingKey>(kind: String) throws -> KeyedDecodingContainer<Key> {
        // Of an enum with a case `kind`, `allKeys` has that one where `kind` named no case.
        guard self.kind?.isEqual(to: kind) == true else {
            throw DecodingError.corrupted(member: EventShape.kind, unknownKind)
        }
        return container(.caseValues, at: tape.root)
    }
}

/// The event's `kind`.
extension DecodingState {
    /// The entry of its value; nil where there is none.
    ///
    /// - Throws: where the event is no object.
    func findKind() throws -> Int? {
        try tape.beginObject(tape.root)
        kindMember = try tape.member(EventShape.kind, inObject: tape.root)
        return kindMember
    }

    /// The kind as the raw value of an enum, which may have no such case.
    func kindOfRawValue() throws -> String {
        guard let member = try findKind() else { throw missing(PathKey.member(EventShape.kind), inObject: tape.root) }
        let kind = try string(at: member)
        kindFailure = EventShape.unknown(kind)
        return kind
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
