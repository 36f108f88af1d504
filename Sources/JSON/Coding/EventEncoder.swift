/// A view model's event to its flat shape on the wire: the inverse of `EventDecoder`.
package struct EventEncoder {
    package init() {}

    /// Writes one object, with a comma before it where one is due. If that fails, nothing was written.
    package func encode<T: Encodable>(_ event: T, into writer: inout JSONWriter) throws(JSONCodingError) {
        try EncodingState.encode(into: &writer) { state in
            try state.encode(event) { EventTreeEncoder(state: state, slot: $0) }
            try state.checkKind(of: event)
        }
    }
}

extension EncodingState {
    /// An event without a kind could not be told from others.
    fileprivate func checkKind(of event: Any) throws {
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
