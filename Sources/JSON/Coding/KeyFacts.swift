/// The use of a keyed container.
enum ObjectRole: BitwiseCopyable {
    /// An object in the type's own `Codable` form.
    case value
    /// An event as a whole, which an enum's synthesized code sees as one member: the case with its values.
    case event
    /// The values of an enum's case, which are members of the event itself under the wire's names.
    case caseValues
}

/// Answers of a type of coding keys. A key type is taken to answer always the same.
///
/// Kept because each question, in generic code, looks types up at run time, which takes longer than a member.
class KeyFacts {
    /// Nil while it wasn't asked for.
    private final var hasKindKey: Bool?
    /// A bit for each of the labels `_0` to `_9` that clashes with no other.
    private final var clearLabels: UInt16 = 0

    /// Ends the use of a container that was lent to the user's code for the time of a call.
    func takeBack() {}

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

/// Facts by key type. A program has as many key types as it codes, so none is ever taken out.
///
/// Kept because a `Dictionary` hashes with more care than an address needs: it would take longer than an event's
/// members.
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

/// A type of coding keys as encodings see it: makes its containers, and has the one of an array's last element.
///
/// Made here, where `Container` is known, a container asks the runtime for one type only.
final class EncodingKeys<Container: KeyedEncodingContainerProtocol>: KeyFacts, ContainerKeeping {
    /// A `Kept` container, for `slot`. Kept because a new one for each row of an array asks the runtime for types, and
    /// allocates.
    @exclusivity(unchecked) var kept: AnyObject?
    @exclusivity(unchecked) var slot = SlotWriter.SlotReference.dead

    @inline(never)
    func makeContainer(_ container: consuming Container) -> KeyedEncodingContainer<Container.Key> {
        KeyedEncodingContainer(container)
    }

    func forgetContainer() {
        (kept, slot) = (nil, .dead)
    }
}

protocol ContainerKeeping: AnyObject {
    /// At the end of an encoding, which a container must not outlive.
    func forgetContainer()
}

/// A value of a type that the caller doesn't know: to copy it here asks the runtime for no type, as an object knows its
/// own.
final class Kept<Value> {
    private let value: Value

    init(_ value: Value) {
        self.value = value
    }

    @inline(never)
    func copy() -> Value { value }
}

/// A type of coding keys as decodings see it: has its containers, and keeps the keys of events.
///
/// Made here, where `Key` is known, a container asks the runtime for one type only.
final class DecodingKeys<Key: CodingKey>: KeyFacts {
    private static var maximumCount: Int { 64 }

    /// Kinds of events, and for each a `Kept` array of the keys that such an event has.
    @exclusivity(unchecked) private var kinds: [(name: String, keys: AnyObject)] = []
    @exclusivity(unchecked) private var reused = ReusableContainer()
    @exclusivity(unchecked) private var object: ObjectDecoder?

    /// The container that nobody uses, or a new one.
    @inline(never)
    func container(of state: DecodingState, index: Int, role: ObjectRole) -> KeyedDecodingContainer<Key> {
        guard !reused.isLent, let object, let kept = reused.kept else {
            return newContainer(of: state, index: index, role: role)
        }
        object.begin(state, index: index, role: role)
        reused.isLent = true
        state.note(self)
        return unsafeDowncast(kept, to: Kept<KeyedDecodingContainer<Key>>.self).copy()
    }

    @inline(never)
    private func newContainer(of state: DecodingState, index: Int, role: ObjectRole) -> KeyedDecodingContainer<Key> {
        let object = ObjectDecoder()
        object.begin(state, index: index, role: role)
        let container = KeyedDecodingContainer(KeyedDecoder<Key>(object: object))
        if !reused.isLent, reused.keep(container) {
            self.object = object
            state.note(self)
        }
        return container
    }

    override func takeBack() {
        if reused.takeBack() { object?.end() } else { object = nil }
    }

    /// The `Kept` keys of events of that kind; nil where it wasn't met.
    func keys(kind: JSONStringText) -> AnyObject? {
        kinds.first { kind.isEqual(to: $0.name) }?.keys
    }

    /// - Parameter keys: those that the key type makes of `kind`, and would make of it again. Of larger types than an
    ///   enum's that isn't known.
    func keep(_ keys: [Key], kind: String) {
        guard MemoryLayout<Key>.size <= 1, kinds.count < Self.maximumCount else { return }
        kinds.append((kind, Kept(keys)))
    }
}

/// A keyed container that is used for one value after the other, since to make one asks the runtime for types and
/// allocates, which takes longer than a short event's members.
///
/// Copies of such a container share an object, and whoever keeps a container keeps that object. So it is used again
/// only if the object has one owner. Nothing is taken for granted about the container: reflection shows whether it is
/// such an object and nothing else. Without the container's type, which code that is generic would ask the runtime for.
struct ReusableContainer {
    /// A `Kept` container; nil without one.
    private(set) var kept: AnyObject?
    /// In the kept container, and owned by it alone.
    private var shared: Unmanaged<AnyObject>?
    var isLent = false

    /// Keeps the container, which is lent. False where it is made in another way, and a new one must be made for each
    /// value.
    mutating func keep<Container>(_ container: Container) -> Bool {
        let properties = Mirror(reflecting: container).children
        guard properties.count == 1, let value = properties.first?.value, type(of: value) is AnyObject.Type else {
            return false
        }
        kept = Kept(container)
        shared = .passUnretained(value as AnyObject)
        isLent = true
        return true
    }

    /// Ends the use. False where the user's code has kept the container, which is left to it.
    @inline(__always)
    mutating func takeBack() -> Bool {
        isLent = false
        guard var shared else { return false }
        // An `Unmanaged` is its reference, which isn't counted: the one owner is the kept container.
        let isUsedElsewhere = withUnsafeMutablePointer(to: &shared) { shared in
            shared.withMemoryRebound(to: AnyObject.self, capacity: 1) { !isKnownUniquelyReferenced(&$0.pointee) }
        }
        guard isUsedElsewhere else { return true }
        (kept, self.shared) = (nil, nil)
        return false
    }
}
