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
class KeyFacts<Object: ContainerObject> {
    /// Nil while it wasn't asked for.
    private final var hasKindKey: Bool?
    /// The wire's names for labels that clash with no other. Not checked for exclusivity, on the way of each event: names
    /// are compared, and nothing is called.
    @exclusivity(unchecked) private final var clearNames: [(label: String, name: String)] = []
    /// While its container is lent: the one that was lent before.
    fileprivate final var lentBefore: Unmanaged<KeyFacts<Object>>?

    /// Its container, lent to the user's code for the time of a call.
    @exclusivity(unchecked) fileprivate final var reused = ReusableContainer<Object>()

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

    /// A program has as many key types as it codes, so none is ever taken out.
    private var known: [ObjectIdentifier: Facts] = [:]
    /// The two that were found last, not counted: elements of an array have the same one, and an event has two.
    private var last, earlier: (type: ObjectIdentifier, facts: Unmanaged<Facts>)?
    /// The container that was lent last. Each knows the one before it.
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

    /// - Parameter container: is lent to the innermost call.
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

/// A type of coding keys as encodings see it: has its container.
///
/// Made here, where `Key` is known, a container asks the runtime for one type only.
final class EncodingKeys<Key: CodingKey>: KeyFacts<ObjectEncoder> {
    /// The container that nobody uses, or a new one.
    @inline(never)
    func container(
        of state: EncodingState, slot: SlotWriter.SlotReference, role: ObjectRole
    ) -> KeyedEncodingContainer<Key> {
        // Of an encoder that was kept, no call ends the use.
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
final class DecodingKeys<Key: CodingKey>: KeyFacts<ObjectDecoder> {
    private static var maximumCount: Int { 64 }

    /// Kinds of events, and for each a `Kept` array of the keys that such an event has.
    @exclusivity(unchecked) private var kinds: [(name: String, keys: AnyObject)] = []

    /// The container that nobody uses, or a new one.
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

    /// The `Kept` keys of events of a kind that was met.
    func known(kind: JSONStringText) -> AnyObject? {
        // By index, as `first` copies each pair.
        for index in kinds.indices where kind.isEqual(to: kinds[index].name) { return kinds[index].keys }
        return nil
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
/// Copies of such a container share an object, so to keep a copy is to keep that object. The container is used again
/// only if the object has one owner. Nothing is taken for granted about the container: reflection shows whether it is
/// such an object and nothing else. Without the container's type, which code that is generic would ask the runtime for.
struct ReusableContainer<Object: ContainerObject> {
    /// References that aren't counted, as that takes longer than to use them: `owners` has them.
    struct Parts {
        /// The `Kept` container.
        let container: Unmanaged<AnyObject>
        /// The object that it reads or writes.
        let object: Unmanaged<Object>
        /// In the container, and owned by it alone.
        fileprivate let shared: Unmanaged<AnyObject>
    }

    private var parts: Parts?
    private var owners: (container: AnyObject, object: Object)?
    private var isLent = false

    /// Begins a use; nil where no container is kept, or it is in use.
    @inline(__always)
    mutating func take() -> Parts? {
        guard !isLent, let parts else { return nil }
        isLent = true
        return parts
    }

    /// Keeps the container, which is in use. False where another one is, or where containers are made in another way,
    /// so that a new one must be made for each value.
    mutating func keep<Container>(_ container: Container, _ object: Object) -> Bool {
        let properties = Mirror(reflecting: container).children
        guard !isLent, properties.count == 1, let value = properties.first?.value, type(of: value) is AnyObject.Type
        else { return false }
        let kept = Kept(container)
        owners = (kept, object)
        parts = Parts(
            container: .passUnretained(kept), object: .passUnretained(object),
            shared: .passUnretained(value as AnyObject))
        isLent = true
        return true
    }

    /// Ends the use. Where the user's code has kept the container, it isn't used again.
    @inline(__always)
    mutating func takeBack() {
        isLent = false
        guard let parts else { return }
        // The one owner is the kept container.
        let isUsedElsewhere = !parts.shared.isOnlyReference
        parts.object._withUnsafeGuaranteedRef { $0.end(isKept: isUsedElsewhere) }
        if isUsedElsewhere { (self.parts, owners) = (nil, nil) }
    }
}

/// The object that a keyed container reads or writes, and another one when the container is used again.
///
/// Not generic: in code that is, each use of a type that depends on the key asks the runtime for it.
protocol ContainerObject: AnyObject {
    /// Ends a use: whatever is asked for next throws.
    ///
    /// - Parameter isKept: the user's code has kept the container.
    func end(isKept: Bool)
}
