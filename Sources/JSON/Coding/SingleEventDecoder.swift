/// What an enum of strings asks for its raw value: the event's `kind`.
struct SingleEventDecoder: SingleValueDecodingContainer {
    let state: DecodingState

    var codingPath: [any CodingKey] { [] }

    func decodeNil() -> Bool { false }

    /// An event that wraps another one gets the same event.
    func decode<T: Decodable>(_ type: T.Type) throws -> T {
        if EventShape.isScalar(type) { return try state.decode(type, at: 0) }
        guard T.self == String.self else { return try state.initializeEvent(type) }
        let kind = try state.tape.eventKind()
        state.kindFailure = EventShape.unknown(kind)
        // The guard has shown `T` to be `String`.
        return unsafeBitCast(kind, to: T.self)
    }
}
