/// The factories and singletons of one container. A pure value, which its `ContainerStorage` guards with a lock.
///
/// A function that removes objects returns them, to be released with no lock held: their `deinit` may ask the container.
struct ContainerState {
    enum Phase {
        case making(Making.Step)
        case made(any AnyObject & Sendable)
    }

    /// A singleton, from when its making begins.
    struct Kept {
        /// The factory that makes the singleton; nil where the type's own initializer does.
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

    /// Returns how far the making of a type's singleton is. Nil where this factory hasn't begun one, even if a replaced factory
    /// has.
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

    /// Keeps the object that `step` has made, or removes the claim where `made` is nil. Nothing changes where another step has
    /// claimed the type since.
    mutating func end(_ step: Making.Step, of type: ObjectIdentifier, with made: (any AnyObject & Sendable)?) -> Kept? {
        guard let old = kept[type], case .making(let current) = old.phase, current === step else { return nil }
        guard let made else { return kept.removeValue(forType: type) }
        return kept.updateValue(Kept(factory: old.factory, phase: .made(made)), forType: type)
    }
}

/// Values by type.
///
/// It is a sorted array, as containers are filled while the process starts: for the first dictionary with such keys the
/// runtime searches all conformances of the process.
struct TypeMap<Value> {
    private var entries: [(type: ObjectIdentifier, value: Value)] = []

    subscript(type: ObjectIdentifier) -> Value? {
        let index = index(notBefore: type)
        return isEntry(at: index, of: type) ? entries[index].value : nil
    }

    /// Sets the value of a type, and returns the one that was replaced.
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

    /// Removes the value of a type, and returns it.
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
