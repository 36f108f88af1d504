/// What a container knows and keeps, and the rules by which that changes. Pure; its `ContainerStorage` guards it.
///
/// What a function takes out, it returns: to be released where no lock is held, since its end may ask the container.
struct ContainerState {
    enum Phase {
        case making(Making.Step)
        case made(any AnyObject & Sendable)
    }

    /// The one of a type, from when its making begins.
    struct Kept {
        /// What makes it; nil where that is the type's own initializer.
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

    /// The one of a type; nil where there is none by this factory, but at most one by a factory that was replaced.
    func phase(of type: ObjectIdentifier, by factory: (any AnyObject)?) -> Phase? {
        kept[type].flatMap { $0.factory === factory ? $0.phase : nil }
    }

    /// Lets `step` make the one of a type, unless another came first.
    mutating func claim(
        _ type: ObjectIdentifier, by factory: (any AnyObject & Sendable)?, for step: Making.Step
    ) -> (isClaimed: Bool, replaced: Kept?) {
        guard phase(of: type, by: factory) == nil else { return (false, nil) }
        return (true, kept.updateValue(Kept(factory: factory, phase: .making(step)), forType: type))
    }

    /// Keeps what `step` has made, or nothing where that is nil. Where somebody else was given the type in the
    /// meantime, nothing changes.
    mutating func end(_ step: Making.Step, of type: ObjectIdentifier, with made: (any AnyObject & Sendable)?) -> Kept? {
        guard let old = kept[type], case .making(let current) = old.phase, current === step else { return nil }
        guard let made else { return kept.removeValue(forType: type) }
        return kept.updateValue(Kept(factory: old.factory, phase: .made(made)), forType: type)
    }
}
