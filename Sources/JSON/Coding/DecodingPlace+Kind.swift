/// Where an event's cases are told apart.
extension DecodingPlace {
    /// For an enum the one case that `kind` names, or none. SE-0295's code then fails for anything but one.
    @inline(__always)
    func eventKeys<Key: CodingKey>() -> [Key] {
        if let kind = tape.kind(kindMember), let keys = cases.keys(of: Key.self, kind: kind) { return keys }
        return newEventKeys()
    }

    @inline(never)
    private func newEventKeys<Key: CodingKey>() -> [Key] {
        guard EventShape.isClosed(Key.self) else { return allKeys() }
        if let kind = tape.kind(kindMember)?.string(), let key = Key(stringValue: kind) {
            cases.keep([key], kind: kind)
            return [key]
        }
        (try? state)?.kindFailure = tape.kindFailure
        return Key(stringValue: EventShape.kind) == nil ? [] : allKeys()
    }

    /// A container for the values of the case `key`, which are members of the event itself.
    @inline(__always)
    func caseContainer<Key: CodingKey, Container: KeyedDecodingContainerProtocol>(
        kind: String, _ make: (DecodingPlace) -> Container
    ) throws -> KeyedDecodingContainer<Key> where Container.Key == Key {
        // Of an enum with a case `kind`, `allKeys` has told that one when `kind` named no case.
        guard tape.kind(kindMember)?.isEqual(to: kind) == true else {
            let path = [PathKey.member(EventShape.kind)]
            throw DecodingError.dataCorrupted(
                DecodingError.Context(codingPath: path, debugDescription: tape.kindFailure))
        }
        return try state.container(for: .caseValues, at: 0, make)
    }

    /// - Throws: where the label can't be on the wire, or the value isn't.
    @inline(__always)
    func value<Key: CodingKey>(_ key: Key) throws -> Int {
        let name = try checkedName(key)
        guard let member = try find(name) else { throw tape.missing(PathKey.member(name), inObject: 0) }
        return member
    }

    /// Nil where there is none, or null.
    @inline(__always)
    func valueIfPresent<Key: CodingKey>(_ key: Key) throws -> Int? {
        try memberIfPresent(checkedName(key))
    }

    @inline(__always)
    private func checkedName<Key: CodingKey>(_ key: Key) throws -> String {
        let (name, clash) = wireName(of: key)
        guard let clash else { return name }
        throw DecodingError.dataCorrupted(
            DecodingError.Context(codingPath: [PathKey.member(name)], debugDescription: clash))
    }
}
