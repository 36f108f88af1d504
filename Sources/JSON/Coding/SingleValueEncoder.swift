struct SingleValueEncoder: SingleValueEncodingContainer {
    let state: EncodingState
    let slot: EncodingState.SlotReference

    var codingPath: [any CodingKey] { state.codingPath(of: slot) }

    func encodeNil() throws {
        try state.writeScalar(in: slot) { $0.pointee.null() }
    }

    /// Stands for all of the protocol's overloads.
    func encode<T: Encodable>(_ value: T) throws {
        try state.writeScalar(in: slot) { _ in try state.encode(value) }
    }
}
