/// An encoder of view models' events to their flat shape on the wire: the inverse of `EventDecoder`.
package struct EventEncoder {
    package init() {}

    /// Writes one object, with a comma before it if one is due. If that fails, nothing is written.
    package func encode<T: Encodable>(_ event: T, into writer: inout JSONWriter) throws(JSONCodingError) {
        try EncodingState.encode(into: &writer) { state in
            try state.encodeByItself(event, isEvent: true)
            try state.checkKind(of: event)
        }
    }

    /// Returns the event's object as bytes. Only the returned array is allocated.
    package func encode<T: Encodable>(_ event: T) throws(JSONCodingError) -> [UInt8] {
        try ScratchWriter.with { writer throws(JSONCodingError) in
            try encode(event, into: &writer)
            return writer.takeBytes()
        }
    }
}

/// An event's `kind`.
extension EncodingState {
    /// Writes the event's `kind` and remembers its offset, so that `checkKind` can find an event without a kind, or with one
    /// that is no string.
    ///
    /// - Parameter kind: a string, or a value of the user's own type.
    func encodeKind<T: Encodable>(_ kind: T, in slot: SlotReference) throws {
        guard text.kindOffset == nil else { throw text.secondValue(in: slot) }
        text.kindOffset = try encode(kind, member: EventShape.kind, in: slot)
    }

    /// Checks the kind of an event that was encoded.
    ///
    /// - Throws: if the event has no kind, or one that is no string.
    func checkKind<T>(of event: T) throws {
        let isString = text.writer?.pointee.withUnsafeBytes { bytes in
            text.kindOffset.map { $0 < bytes.count && bytes[$0] == ASCII.quote }
        }
        guard isString != true else { return }
        let reason =
            isString == nil ? "missing: an event is an enum or encodes a 'kind' of its own" : "expected a string"
        throw EncodingError.invalid(event, member: EventShape.kind, reason)
    }
}
