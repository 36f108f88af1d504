/// What an enum of strings asks for its raw value: the event's `kind`.
struct SingleEventDecoder: SingleValueDecodingContainer {
    let tape: DecodingTape

    var codingPath: [any CodingKey] { [] }

    func decodeNil() -> Bool { false }

    /// An event that wraps another one gets the same event.
    func decode<T: Decodable>(_ type: T.Type) throws -> T {
        if EventShape.isScalar(type) { return try tape.decode(type, at: 0) }
        guard T.self == String.self else {
            return try tape.initialize(type, at: 0, from: EventTreeDecoder(tape: tape))
        }
        let kind = try tape.eventKind()
        tape.kindFailure = EventShape.unknown(kind)
        // The guard has shown `T` to be `String`.
        return unsafeBitCast(kind, to: T.self)
    }
}
