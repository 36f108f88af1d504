/// Where in a text a keyed container is; all that a container of this module holds (`ContainerShelf`).
///
/// Remembers what was found out about its container's key type, as `init?(stringValue:)` takes long to answer. It is
/// taken to answer always the same.
class ContainerPlace {
    /// Nil when it wasn't asked for yet.
    private final var hasKindKey: Bool?
    /// A bit for each of the labels `_0` to `_9` that clashes with no other.
    private final var clearLabels: UInt16 = 0

    /// The text is gone: whatever is asked of the container throws from now on.
    func leave() {}
}

extension ContainerPlace {
    /// `EventShape.isCase` for the container's own keys.
    @inline(__always)
    func isCase<Key: CodingKey, Values: CodingKey>(_ key: Key.Type, values: Values.Type) -> Bool {
        hasKindKey == false || isCaseBesideKindKey(key, values: values)
    }

    @inline(never)
    private func isCaseBesideKindKey<Key: CodingKey, Values: CodingKey>(
        _ key: Key.Type, values: Values.Type
    ) -> Bool {
        if hasKindKey == nil { hasKindKey = Key(stringValue: EventShape.kind) != nil }
        return hasKindKey == false || EventShape.isCase(values: values)
    }

    /// The wire's name for an associated value, and why it can't stand there.
    @inline(__always)
    func wireName<Key: CodingKey>(of key: Key) -> (name: String, clash: String?) {
        let label = key.stringValue
        if EventShape.isClear(label) { return (label, nil) }
        if let digit = EventShape.digit(label), clearLabels &>> UInt16(digit) & 1 == 1 {
            return (EventShape.member(digit), nil)
        }
        return checkedName(of: key)
    }

    @inline(never)
    private func checkedName<Key: CodingKey>(of key: Key) -> (name: String, clash: String?) {
        let clash = EventShape.clash(key)
        if clash == nil, let digit = EventShape.digit(key.stringValue) {
            clearLabels = clearLabels | 1 &<< UInt16(digit)
        }
        return (EventShape.member(for: key), clash)
    }
}
