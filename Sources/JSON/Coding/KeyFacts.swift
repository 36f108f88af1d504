/// What a keyed container reads or writes.
enum ObjectRole: BitwiseCopyable {
    /// An object in the type's own `Codable` form.
    case value
    /// An event as a whole, which an enum's synthesized code sees as one member: the case with its values.
    case event
    /// The values of an enum's case, which are members of the event itself under the wire's names.
    case caseValues
}

/// The answers of a coding key type, which are taken never to change.
///
/// Kept because each question, in generic code, looks types up at run time, which takes longer than coding a member.
class KeyFacts<Object: ContainerObject> {
    /// Whether the key type has a key `kind`; nil until somebody asks.
    private final var hasKindKey: Bool?
    /// The wire's names for labels that clash with no other. Exclusive access isn't checked, since each event passes here:
    /// names are compared, and no other code is called.
    @exclusivity(unchecked) private final var clearNames: [(label: String, name: String)] = []
    /// The facts whose container was lent before this one, while this container is lent.
    fileprivate final var lentBefore: Unmanaged<KeyFacts<Object>>?

    /// The container for these keys, lent to the user's code during a call.
    @exclusivity(unchecked) fileprivate final var reused = ReusableContainer<Object>()

    /// Whether the keys name an enum's cases, as `EventShape.isCase` decides.
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

    /// Returns the wire's name for an associated value, and the reason if the value can't have that name.
    final func wireName<Key: CodingKey>(of key: Key) -> (name: String, clash: String?) {
        let label = key.stringValue
        if let known = clearNames.first(where: { $0.label == label }) { return (known.name, nil) }
        let (name, clash) = (EventShape.member(for: key), EventShape.clash(key))
        if clash == nil { clearNames.append((label, name)) }
        return (name, clash)
    }
}

/// The key types that encodings or decodings have met, and the containers that are lent to the calls that run.
struct KeyTypes<Object: ContainerObject> {
    typealias Facts = KeyFacts<Object>

    /// The facts by key type. Never emptied: a program has only so many key types.
    private var known: [ObjectIdentifier: Facts] = [:]
    /// The two facts that were found last, as references that aren't counted: an array's elements share one key type, and an
    /// event has two.
    private var last, earlier: (type: ObjectIdentifier, facts: Unmanaged<Facts>)?
    /// The facts whose container was lent last. Each refers to the one that was lent before it.
    private(set) var lent: Unmanaged<Facts>?

    @inline(__always)
    subscript(type: any Any.Type) -> Unmanaged<Facts>? {
        mutating get {
            let type = ObjectIdentifier(type)
            if let last, last.type == type { return last.facts }
            swap(&last, &earlier)
            if let last, last.type == type { return last.facts }
            last = known[type].map { (type, .passUnretained($0)) }
            return last?.facts
        }
    }

    mutating func insert(_ new: Facts, for type: any Any.Type) -> Unmanaged<Facts> {
        known[ObjectIdentifier(type)] = new
        return .passUnretained(new)
    }

    /// Notes a container as lent to the innermost call.
    mutating func lend(_ container: Facts) {
        container.lentBefore = lent
        lent = .passUnretained(container)
    }

    /// Takes back containers, the last one first, until `earlier` is the last one that is lent.
    @inline(__always)
    mutating func takeBack(downTo earlier: Unmanaged<Facts>?) {
        while let last = lent, last.toOpaque() != earlier?.toOpaque() {
            last._withUnsafeGuaranteedRef {
                lent = $0.lentBefore
                $0.reused.takeBack()
            }
        }
    }
}

/// The facts about a coding key type for encodings, with a container for reuse.
///
/// The container is made here, where `Key` is known, so that the runtime is asked for only one type.
final class EncodingKeys<Key: CodingKey>: KeyFacts<ObjectEncoder> {
    /// Returns the reusable container if it is free, or a new one.
    @inline(never)
    func container(
        of state: EncodingState, slot: SlotWriter.SlotReference, role: ObjectRole
    ) -> KeyedEncodingContainer<Key> {
        // No call ends the use if the encoder was kept beyond its call.
        guard state.isCalling, let parts = reused.take() else {
            return newContainer(of: state, slot: slot, role: role)
        }
        parts.object._withUnsafeGuaranteedRef { $0.begin(state, slot: slot, role: role) }
        state.keyTypes.lend(self)
        return parts.container._withUnsafeGuaranteedRef {
            unsafeDowncast($0, to: Kept<KeyedEncodingContainer<Key>>.self).copy()
        }
    }

    @inline(never)
    private func newContainer(
        of state: EncodingState, slot: SlotWriter.SlotReference, role: ObjectRole
    ) -> KeyedEncodingContainer<Key> {
        let object = ObjectEncoder(state.text)
        object.begin(state, slot: slot, role: role)
        let container = KeyedEncodingContainer(KeyedEncoder<Key>(object: object))
        if state.isCalling, reused.keep(container, object) { state.keyTypes.lend(self) } else { object.kept = state }
        return container
    }
}

/// A boxed value of a type that the caller doesn't know. Copying it here asks the runtime for no type, as an object knows its
/// own.
final class Kept<Value> {
    private let value: Value

    init(_ value: Value) {
        self.value = value
    }

    @inline(never)
    func copy() -> Value { value }
}

/// The facts about a coding key type for decodings, with a container for reuse and the keys of events.
///
/// The container is made here, where `Key` is known, so that the runtime is asked for only one type.
final class DecodingKeys<Key: CodingKey>: KeyFacts<ObjectDecoder> {
    private static var maximumCount: Int { 64 }

    /// The event kinds that were met, each with a `Kept` array of that event's keys.
    @exclusivity(unchecked) private var kinds: [(name: String, keys: AnyObject)] = []

    /// Returns the reusable container if it is free, or a new one.
    @inline(never)
    func container(of state: DecodingState, index: Int, role: ObjectRole) -> KeyedDecodingContainer<Key> {
        guard let parts = reused.take() else { return newContainer(of: state, index: index, role: role) }
        parts.object._withUnsafeGuaranteedRef { $0.begin(state, index: index, role: role) }
        state.keyTypes.lend(self)
        return parts.container._withUnsafeGuaranteedRef {
            unsafeDowncast($0, to: Kept<KeyedDecodingContainer<Key>>.self).copy()
        }
    }

    @inline(never)
    private func newContainer(of state: DecodingState, index: Int, role: ObjectRole) -> KeyedDecodingContainer<Key> {
        let object = ObjectDecoder()
        object.begin(state, index: index, role: role)
        let container = KeyedDecodingContainer(KeyedDecoder<Key>(object: object))
        if reused.keep(container, object) { state.keyTypes.lend(self) }
        return container
    }

    /// Returns the `Kept` keys for an event's kind; nil if none were kept for it.
    func known(kind: JSONStringText) -> AnyObject? {
        // By index, as `first` copies each pair.
        for index in kinds.indices where kind.isEqual(to: kinds[index].name) { return kinds[index].keys }
        return nil
    }

    /// Keeps the keys for an event's kind.
    ///
    /// - Parameter keys: the keys that the key type makes of `kind`. They are kept only if a key takes at most one byte, as an
    ///   enum's does: such a type makes the same keys again.
    func keep(_ keys: [Key], kind: String) {
        guard MemoryLayout<Key>.size <= 1, kinds.count < Self.maximumCount else { return }
        kinds.append((kind, Kept(keys)))
    }
}

/// A keyed container that is used for one value after the other. Making one asks the runtime for types and allocates, which
/// takes longer than coding a short event's members.
///
/// Copies of such a container share an object, so user code that keeps a copy retains that object. The container is used again
/// only if the object has one owner. The container's type isn't a parameter, as generic code would ask the runtime for it.
struct ReusableContainer<Object: ContainerObject> {
    /// References that aren't counted, as counting takes longer than using them: `owners` retains what they refer to.
    struct Parts {
        /// The `Kept` container.
        let container: Unmanaged<AnyObject>
        /// The object that it reads or writes.
        let object: Unmanaged<Object>
        /// The object inside the container that all its copies share.
        fileprivate let shared: Unmanaged<AnyObject>
    }

    private var parts: Parts?
    private var owners: (container: AnyObject, object: Object)?
    private var isLent = false
    /// The containers that were made and not kept, `unkept` at most.
    private var madeBefore: UInt8 = 0
    private var unkept: UInt8 { 4 }

    /// Begins a use; nil if no container is kept, or the one that is kept is in use.
    @inline(__always)
    mutating func take() -> Parts? {
        guard !isLent, let parts else { return nil }
        isLent = true
        return parts
    }

    /// Keeps a container that is in use from now on. Returns false if another container is in use, or the standard library's
    /// containers have another layout, so that a new one must be made for each value, and for the first few, as keeping one asks
    /// the runtime for more than making a few.
    mutating func keep<Container>(_ container: Container, _ object: Object) -> Bool {
        guard !isLent else { return false }
        guard madeBefore == unkept else {
            madeBefore += 1
            return false
        }
        guard Self.isReference(Container.self) else { return false }
        let kept = Kept(container)
        owners = (kept, object)
        parts = Parts(
            container: .passUnretained(kept), object: .passUnretained(object),
            shared: .passUnretained(unsafeBitCast(container, to: AnyObject.self)))
        isLent = true
        return true
    }

    /// Whether a container is a reference to an object and nothing else, by its layout: what is as large as a reference, and
    /// counted, is one. Not by reflection, which takes longer than all else that is done before a first answer.
    static func isReference<Container>(_ type: Container.Type) -> Bool {
        MemoryLayout<Container>.size == MemoryLayout<AnyObject>.size && !_isPOD(type)
    }

    /// Ends the use. A container that the user's code has kept is dropped and not used again.
    @inline(__always)
    mutating func takeBack() {
        isLent = false
        guard let parts else { return }
        // If nobody has kept a copy, the container is the only owner.
        let isUsedElsewhere = !parts.shared.isOnlyReference
        parts.object._withUnsafeGuaranteedRef { $0.end(isKept: isUsedElsewhere) }
        if isUsedElsewhere { (self.parts, owners) = (nil, nil) }
    }
}

/// The object behind a keyed container, which begins anew with each use of the container.
///
/// Not generic over the key: generic code asks the runtime for each type that depends on the key, at each use.
protocol ContainerObject: AnyObject {
    /// Ends a use: any later read or write throws.
    ///
    /// - Parameter isKept: whether the user's code has kept the container.
    func end(isKept: Bool)
}
