/// A view model's event to its flat shape on the wire: the inverse of `EventDecoder`.
package struct EventEncoder {
    package init() {}

    /// Writes one object, with a comma before it where one is due. If that fails, nothing was written.
    package func encode<T: Encodable>(_ event: T, into writer: inout JSONWriter) throws(JSONCodingError) {
        try EncodingState.encode(into: &writer) { state in try Self.encode(event, state) }
    }

    /// One object, as bytes of its own: nothing but these is allocated.
    package func encode<T: Encodable>(_ event: T) throws(JSONCodingError) -> [UInt8] {
        try EncodingState.encode { state in try Self.encode(event, state) }
    }

    @inline(__always)
    private static func encode<T: Encodable>(_ event: T, _ state: EncodingState) throws {
        try state.encodeEvent(event)
        try state.checkKind(of: event)
    }
}
