extension DecodingState {
    /// A container for the object at `index`.
    ///
    /// - Throws: where there is no object.
    func valueContainer<Key: CodingKey>(at index: Int) throws -> KeyedDecodingContainer<Key> {
        try tape.beginObject(index)
        return container(for: .value, at: index) { KeyedValueDecoder<Key>(at: $0) }
    }

    /// A container that reads the object at `index`: one that was used before where there is one, otherwise `make`'s.
    @inline(__always)
    func container<Key: CodingKey, Container: KeyedDecodingContainerProtocol>(
        for use: ContainerUse, at index: Int, _ make: (DecodingPlace) -> Container
    ) -> KeyedDecodingContainer<Key> where Container.Key == Key {
        if let kept = shelf.take(Key.self, for: use) {
            kept.pointee.place.move(to: index)
            if use == .event { kept.pointee.place.findKind() }
            // It was kept under this key type and use, for which it always is of this type.
            return KeptContainer.container(kept)
        }
        return newContainer(for: use, at: index, make)
    }

    @inline(never)
    private func newContainer<Key: CodingKey, Container: KeyedDecodingContainerProtocol>(
        for use: ContainerUse, at index: Int, _ make: (DecodingPlace) -> Container
    ) -> KeyedDecodingContainer<Key> where Container.Key == Key {
        let place = DecodingPlace(self, index)
        if use == .event { place.findKind() }
        let container = KeyedDecodingContainer(make(place))
        let isKept =
            KeyedContainers.areReferences
            && shelf.keep(KeptContainer(container, at: place), Key.self, for: use)
        if !isKept { place.keepState() }
        return container
    }
}
