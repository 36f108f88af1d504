/// A decoder of view models' events from their flat shape on the wire: `{"kind":"selectOrder","index":3}`.
///
/// For enums with synthesized `Codable`, enums of strings, and types whose own `Codable` reads the flat members. Only the event
/// itself has this shape; the values in it have their own `Codable` form, as with `ValueDecoder`.
package struct EventDecoder {
    package init() {}

    /// Decodes an event.
    ///
    /// - Parameter path: the place of `value` in the message; errors begin with it.
    /// - Throws: if the value is no object, the event has no such kind, or a member doesn't have the form that `type` asks for.
    package func decode<T: Decodable>(
        _ type: T.Type, from value: JSONValue, at path: JSONPointer = .root
    ) throws(JSONCodingError) -> T {
        guard value.kind == .object else { throw Self.noObject(value.kind, at: path) }
        return try DecodingState.decode(value, at: path) { try $0.initialize(type, at: 0, isEvent: true) }
    }

    /// Decodes an event from a copy that was kept of it.
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
    /// Returns the keys that `allKeys` of an event's container has: for an enum, the one case that `kind` names, or none.
    /// Synthesized code (SE-0295) fails for any number but one.
    func eventKeys<Key: CodingKey>() -> [Key] {
        if let kind, let known = keyFacts(Key.self)._withUnsafeGuaranteedRef({ $0.known(kind: kind) }) {
            // The keys were kept for this key type.
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

    /// Returns a container for the values of the case that `kind` names. These values are members of the event itself.
    func caseContainer<Key: CodingKey>(kind: String) throws -> KeyedDecodingContainer<Key> {
        // In an enum with a case called `kind`, `allKeys` contains that case when the event's `kind` names no case.
        guard self.kind?.isEqual(to: kind) == true else {
            throw DecodingError.corrupted(member: EventShape.kind, unknownKind)
        }
        return container(.caseValues, at: tape.root)
    }
}

/// The event's `kind`.
extension DecodingState {
    /// Finds the entry of the kind's value and remembers it; nil if there is none.
    ///
    /// - Throws: if the event is no object.
    func findKind() throws -> Int? {
        try tape.beginObject(tape.root)
        kindMember = try tape.member(EventShape.kind, inObject: tape.root)
        return kindMember
    }

    /// Returns the kind as the raw value of an enum. As the enum may have no such case, the error for that is prepared, too.
    func kindOfRawValue() throws -> String {
        guard let member = try findKind() else { throw missing(PathKey.member(EventShape.kind), inObject: tape.root) }
        let kind = try string(at: member)
        kindFailure = EventShape.unknown(kind)
        return kind
    }

    /// The text of the event's `kind`; nil if it is missing or isn't a string.
    var kind: JSONStringText? {
        guard let kindMember, let entry = try? tape.entry(kindMember), tape.text[entry.offset] == ASCII.quote else {
            return nil
        }
        return tape.stringText(entry)
    }

    /// The reason for an error if the kind names no case.
    var unknownKind: String {
        guard let kindMember, let found = try? tape.kind(at: kindMember) else { return "missing" }
        guard let kind else { return "expected a string but found \(found)" }
        return EventShape.unknown(kind.string())
    }
}
