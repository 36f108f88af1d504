/// A keyed container on its shelf. In memory, what comes first is the container itself.
struct KeptContainer<Place: ContainerPlace> {
    /// The one reference that a `KeyedEncodingContainer` or `KeyedDecodingContainer` is.
    private var container: AnyObject
    let place: Place
    private let copier: AnyObject

    init<Container>(_ container: Container, at place: Place) {
        self.container = unsafeBitCast(container, to: AnyObject.self)
        self.place = place
        copier = Copier<Container>()
    }

    /// Whether nobody else has it.
    var isUnused: Bool {
        mutating get { isKnownUniquelyReferenced(&container) }
    }

    /// The container, as the type that it has.
    @inline(__always)
    static func container<Container>(_ kept: UnsafePointer<Self>) -> Container {
        unsafeDowncast(kept.pointee.copier, to: Copier<Container>.self).copy(kept)
    }
}

/// Copies a container without asking the runtime for its type: 450 instructions less, as an object knows its own.
private final class Copier<Container> {
    @inline(never)
    func copy(_ place: UnsafeRawPointer) -> Container {
        place.assumingMemoryBound(to: Container.self).pointee
    }
}
