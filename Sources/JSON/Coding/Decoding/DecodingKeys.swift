/// A type of coding keys as decodings see it: makes its containers, and keeps the keys of events.
///
/// Made here, where `Container` is known, a container asks the runtime for one type only.
final class DecodingKeys<Container: KeyedDecodingContainerProtocol>: KeyFacts {
    private static var maximumCount: Int { 64 }

    /// Kinds of events, and for each a `Kept` array of the keys that such an event has.
    @exclusivity(unchecked) private var kinds: [(name: String, keys: AnyObject)] = []

    @inline(never)
    func makeContainer(_ container: Container) -> KeyedDecodingContainer<Container.Key> {
        KeyedDecodingContainer(container)
    }

    /// The `Kept` keys of events of that kind; nil where it wasn't met.
    func keys(kind: JSONStringText) -> AnyObject? {
        kinds.first { kind.isEqual(to: $0.name) }?.keys
    }

    /// - Parameter keys: those that the key type makes of `kind`, and would make of it again. Of larger types than an enum's
    ///   that isn't known.
    func keep(_ keys: [Container.Key], kind: String) {
        guard MemoryLayout<Container.Key>.size <= 1, kinds.count < Self.maximumCount else { return }
        kinds.append((kind, Kept(keys)))
    }
}
