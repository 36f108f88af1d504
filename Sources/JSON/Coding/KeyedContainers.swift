/// What is known of the standard library's `KeyedEncodingContainer` and `KeyedDecodingContainer`.
enum KeyedContainers {
    /// Whether each is one reference, to a box with the container of ours in it, and nothing else.
    ///
    /// So it has been since there is `Codable`, but it is promised nowhere. Where it isn't so, or can't be seen, as in a
    /// program built without metadata for `Mirror`, no container is given out twice.
    static let areReferences =
        isReference(KeyedEncodingContainer(KeyedValueEncoder<PathKey>(at: EncodingPlace())))
        && isReference(KeyedDecodingContainer(KeyedValueDecoder<PathKey>(at: DecodingPlace())))

    private static func isReference<Container>(_ container: Container) -> Bool {
        let parts = Mirror(reflecting: container).children
        guard MemoryLayout<Container>.size == MemoryLayout<AnyObject>.size, parts.count == 1 else { return false }
        return parts.allSatisfy { type(of: $0.value) is AnyClass }
    }
}
