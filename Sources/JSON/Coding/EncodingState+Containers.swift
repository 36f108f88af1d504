extension EncodingState {
    /// A container that writes to `slot`: one that was used before where there is one, otherwise `make`'s.
    @inline(__always)
    func container<Key: CodingKey, Container: KeyedEncodingContainerProtocol>(
        for use: ContainerUse, in slot: SlotReference, _ make: (EncodingPlace) -> Container
    ) -> KeyedEncodingContainer<Key> where Container.Key == Key {
        if let kept = shelf.take(Key.self, for: use) {
            kept.pointee.place.slot = slot
            // It was kept under this key type and use, for which it always is of this type.
            return KeptContainer.container(kept)
        }
        return newContainer(for: use, in: slot, make)
    }

    @inline(never)
    private func newContainer<Key: CodingKey, Container: KeyedEncodingContainerProtocol>(
        for use: ContainerUse, in slot: SlotReference, _ make: (EncodingPlace) -> Container
    ) -> KeyedEncodingContainer<Key> where Container.Key == Key {
        let place = EncodingPlace(self, slot)
        let container = KeyedEncodingContainer(make(place))
        let isKept =
            KeyedContainers.areReferences
            && shelf.keep(KeptContainer(container, at: place), Key.self, for: use)
        if !isKept { place.keepState() }
        return container
    }

    func valueContainer<Key: CodingKey>(in slot: SlotReference) -> KeyedEncodingContainer<Key> {
        container(for: .value, in: slot) { KeyedValueEncoder<Key>(at: $0) }
    }
}
