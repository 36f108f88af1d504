/// What an enum of strings encodes its raw value with: the event's `kind`.
struct SingleEventEncoder: SingleValueEncodingContainer {
    let state: EncodingState
    let slot: EncodingState.SlotReference

    var codingPath: [any CodingKey] { [] }

    func encodeNil() throws {
        try state.writeScalar(in: slot) { $0.pointee.null() }
    }

    /// An event that wraps another one becomes that event. Other scalars are found to have no kind.
    func encode<T: Encodable>(_ value: T) throws {
        if EventShape.isScalar(T.self) { return try state.writeScalar(in: slot) { _ in try state.encode(value) } }
        guard T.self == String.self, let kind = value as? String else {
            return try state.writeScalar(in: slot) { _ in try state.encodeEvent(value) }
        }
        try state.encodeKind(kind, in: state.makeContainer(.object, in: slot))
    }
}
