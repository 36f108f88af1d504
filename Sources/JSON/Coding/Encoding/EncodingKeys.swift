/// A type of coding keys as encodings see it: makes its containers, and has the one of an array's last element.
///
/// Made here, where `Container` is known, a container asks the runtime for one type only.
final class EncodingKeys<Container: KeyedEncodingContainerProtocol>: KeyFacts, ContainerKeeping {
    /// A `Kept` container, for `slot`. Kept because a new one for each row of an array asks the runtime for types, and
    /// allocates.
    @exclusivity(unchecked) var kept: AnyObject?
    @exclusivity(unchecked) var slot = SlotWriter.SlotReference.dead

    @inline(never)
    func makeContainer(_ container: Container) -> KeyedEncodingContainer<Container.Key> {
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

/// A value of a type that the caller doesn't know: to copy it here asks the runtime for no type, as an object knows its own.
final class Kept<Value> {
    private let value: Value

    init(_ value: Value) {
        self.value = value
    }

    @inline(never)
    func copy() -> Value { value }
}
