/// What was found out about a type of coding keys.
///
/// Kept because to ask the type again and again takes longer than most members do: in generic code each question looks
/// types up at run time. A key type is taken to answer always the same.
class KeyFacts {
    /// Nil while it wasn't asked for.
    private final var hasKindKey: Bool?
    /// A bit for each of the labels `_0` to `_9` that clashes with no other.
    private final var clearLabels: UInt16 = 0

    /// `EventShape.isCase`, for these keys.
    @inline(__always)
    final func isCase<Key: CodingKey, Values: CodingKey>(_ key: Key.Type, values: Values.Type) -> Bool {
        hasKindKey == false || isCaseBesideKindKey(key, values: values)
    }

    @inline(never)
    private final func isCaseBesideKindKey<Key: CodingKey, Values: CodingKey>(
        _ key: Key.Type, values: Values.Type
    ) -> Bool {
        if hasKindKey == nil { hasKindKey = Key(stringValue: EventShape.kind) != nil }
        return hasKindKey == false || EventShape.isCase(values: values)
    }

    /// The wire's name for an associated value with such a label, and why it can't have it.
    @inline(__always)
    final func wireName<Key: CodingKey>(of key: Key) -> (name: String, clash: String?) {
        if let digit = EventShape.digit(key.stringValue), clearLabels &>> UInt16(digit) & 1 == 1 {
            return (EventShape.member(digit), nil)
        }
        return checkedName(of: key)
    }

    @inline(never)
    private final func checkedName<Key: CodingKey>(of key: Key) -> (name: String, clash: String?) {
        let clash = EventShape.clash(key)
        if clash == nil, let digit = EventShape.digit(key.stringValue) { clearLabels |= 1 &<< UInt16(digit) }
        return (EventShape.member(for: key), clash)
    }
}

/// The facts about key types, by type. A program has as many as it codes, so none is ever taken out.
struct KeyFactsTable {
    private var types: [ObjectIdentifier?] = Array(repeating: nil, count: 64)
    private var facts: [KeyFacts?] = Array(repeating: nil, count: 64)
    private var count = 0

    @inline(__always)
    subscript(type: any Any.Type) -> KeyFacts? { facts[place(of: ObjectIdentifier(type))] }

    mutating func insert(_ new: KeyFacts, for type: any Any.Type) {
        if count * 2 >= types.count { grow() }
        let place = place(of: ObjectIdentifier(type))
        (types[place], facts[place]) = (ObjectIdentifier(type), new)
        count += 1
    }

    private mutating func grow() {
        let old = zip(types, facts)
        types = Array(repeating: nil, count: types.count * 2)
        facts = Array(repeating: nil, count: types.count)
        for case (let type?, let fact) in old {
            let place = place(of: type)
            (types[place], facts[place]) = (type, fact)
        }
    }

    /// The type's, or the one that is free for it.
    @inline(__always)
    private func place(of type: ObjectIdentifier) -> Int {
        // Addresses of metadata are multiples of eight and near each other.
        var place = Int(truncatingIfNeeded: (UInt64(UInt(bitPattern: type)) &* 0x9E37_79B9_7F4A_7C15) >> 32)
        while true {
            place &= types.count &- 1
            guard let other = types[place], other != type else { return place }
            place &+= 1
        }
    }
}

/// What a keyed container is for.
enum ObjectRole: BitwiseCopyable {
    /// An object in the type's own `Codable` form.
    case value
    /// An event as a whole, which an enum's synthesized code sees as one member: the case with its values.
    case event
    /// The values of an enum's case, which are members of the event itself under the wire's names.
    case caseValues
}
