/// An event's `kind`.
extension EncodingState {
    /// Remembers where, so that an event without a kind, or with one that is no string, is found.
    func encodeKind<T: Encodable>(_ kind: T, in slot: SlotReference) throws {
        guard kindOffset == nil else { throw secondValue(in: slot) }
        try write(in: slot) { writer in
            let start = writer.pointee.count
            writer.pointee.key("kind")
            kindOffset = writer.pointee.count
            do {
                try encode(kind)
            } catch {
                kindOffset = nil
                writer.pointee.truncate(to: start)
                throw error
            }
        }
    }

    /// A kind that an enum's case names.
    func encodeKind(_ kind: String, in slot: SlotReference) throws {
        guard kindOffset == nil else { throw secondValue(in: slot) }
        try write(in: slot) { writer in
            writer.pointee.key("kind")
            kindOffset = writer.pointee.count
            writer.pointee.string(kind)
        }
    }

    /// An event without a kind could not be told from others.
    func checkKind<T>(of event: T) throws {
        let isString = writer?.pointee.withUnsafeBytes { text in
            kindOffset.map { $0 < text.count && text[$0] == ASCII.quote }
        }
        guard isString != true else { return }
        let reason =
            isString == nil ? "missing: an event is an enum or encodes a 'kind' of its own" : "expected a string"
        throw EncodingError.invalidValue(
            event,
            EncodingError.Context(codingPath: [PathKey.member(EventShape.kind)], debugDescription: reason))
    }
}

extension EncodingPlace {
    func encodeKind<T: Encodable>(_ kind: T) throws {
        guard let state else { throw EncodingState.outlived }
        try state.encodeKind(kind, in: slot)
    }

    /// A container for the values of the case that `kind` names, which are members of the event itself.
    @inline(__always)
    func caseContainer<Key: CodingKey>(
        kind: String, _ make: (EncodingPlace) -> CaseValuesEncoder<Key>
    ) -> KeyedEncodingContainer<Key> {
        let state = anyState
        do {
            try state.encodeKind(kind, in: slot)
        } catch {
            state.pendingError = state.pendingError ?? error
        }
        return state.container(for: .caseValues, in: slot, make)
    }
}
