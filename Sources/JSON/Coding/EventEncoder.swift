/// A view model's event to its flat shape on the wire: the inverse of `EventDecoder`.
package struct EventEncoder {
    package init() {}

    /// Writes one object, with a comma before it where one is due. If that fails, nothing was written.
    package func encode<T: Encodable>(_ event: T, into writer: inout JSONWriter) throws(JSONCodingError) {
        try EncodingState.encode(into: &writer) { state in
            try state.encodeEvent(event)
            try state.checkKind(of: event)
        }
    }
}
