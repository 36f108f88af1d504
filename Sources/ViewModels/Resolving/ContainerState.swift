/// The factories of one container and the singletons that it keeps. Pure; its `ContainerStorage` guards it.
///
/// Objects that a function takes out are returned, to be released with no lock held, since their end may ask
/// the container.
struct ContainerState {
    enum Phase {
        case making(Making.Step)
        case made(any AnyObject & Sendable)
    }

    /// A singleton, from when its making begins.
    struct Kept {
        /// Makes it; nil where the type's own initializer does.
        let factory: (any AnyObject & Sendable)?
        let phase: Phase
    }

    private var factories = TypeMap<any AnyObject & Sendable>()
    private var kept = TypeMap<Kept>()

    mutating func register(
        _ factory: any AnyObject & Sendable, for type: ObjectIdentifier
    ) -> (factory: (any AnyObject & Sendable)?, kept: Kept?) {
        (factories.updateValue(factory, forType: type), kept.removeValue(forType: type))
    }

    func factory(for type: ObjectIdentifier) -> (any AnyObject & Sendable)? {
        factories[type]
    }

    /// How far the singleton of a type is; nil where this factory hasn't made one, even if a replaced factory has.
    func phase(of type: ObjectIdentifier, by factory: (any AnyObject)?) -> Phase? {
        kept[type].flatMap { $0.factory === factory ? $0.phase : nil }
    }

    /// Lets `step` make the singleton of a type, unless another step came first.
    mutating func claim(
        _ type: ObjectIdentifier, by factory: (any AnyObject & Sendable)?, for step: Making.Step
    ) -> (isClaimed: Bool, replaced: Kept?) {
        guard phase(of: type, by: factory) == nil else { return (false, nil) }
        return (true, kept.updateValue(Kept(factory: factory, phase: .making(step)), forType: type))
    }

    /// Keeps the object that `step` has made, or none where that is nil. Nothing changes where another step has claimed
    /// the type since.
    mutating func end(_ step: Making.Step, of type: ObjectIdentifier, with made: (any AnyObject & Sendable)?) -> Kept? {
        guard let old = kept[type], case .making(let current) = old.phase, current === step else { return nil }
        guard let made else { return kept.removeValue(forType: type) }
        return kept.updateValue(Kept(factory: old.factory, phase: .made(made)), forType: type)
    }
}

/// Values by type.
///
/// A sorted array and no dictionary: for the first dictionary with such keys the runtime looks through all conformances
/// of the process, and containers are filled while the process starts.
struct TypeMap<Value> {
    private var entries: [(type: ObjectIdentifier, value: Value)] = []

    subscript(type: ObjectIdentifier) -> Value? {
        let index = index(notBefore: type)
        return isEntry(at: index, of: type) ? entries[index].value : nil
    }

    /// Returns the value before.
    mutating func updateValue(_ value: Value, forType type: ObjectIdentifier) -> Value? {
        let index = index(notBefore: type)
        guard isEntry(at: index, of: type) else {
            entries.insert((type, value), at: index)
            return nil
        }
        let old = entries[index].value
        entries[index].value = value
        return old
    }

    /// Returns what was removed.
    mutating func removeValue(forType type: ObjectIdentifier) -> Value? {
        let index = index(notBefore: type)
        return isEntry(at: index, of: type) ? entries.remove(at: index).value : nil
    }

    private func isEntry(at index: Int, of type: ObjectIdentifier) -> Bool {
        index < entries.count && entries[index].type == type
    }

    private func index(notBefore type: ObjectIdentifier) -> Int {
        var (low, high) = (0, entries.count)
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].type < type { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
