/// What an enum of strings encodes its raw value with: the event's `kind`.
struct SingleEventEncoder: SingleValueEncodingContainer {
    let state: EncodingState
    let slot: EncodingState.SlotReference

    var codingPath: [any CodingKey] { [] }

    func encodeNil() throws {
        try state.writeScalar(in: slot) { state.writer?.pointee.null() }
    }

    /// An event that wraps another one becomes that event. Other scalars are found to have no kind.
    func encode<T: Encodable>(_ value: T) throws {
        if EventShape.isScalar(T.self) { return try state.writeScalar(in: slot) { try state.encode(value) } }
        guard T.self == String.self, let kind = value as? String else {
            return try state.writeScalar(in: slot) {
                try state.encode(value) { EventTreeEncoder(state: state, slot: $0) }
            }
        }
        let members = KeyedValueEncoder<PathKey>(state: state, slot: state.makeContainer(.object, in: slot))
        try KeyedEventEncoder(members: members).encodeKind(kind)
    }
}
