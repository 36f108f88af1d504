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
        try state.encodeByItself(event, isEvent: true)
        try state.checkKind(of: event)
    }
}

/// The `Encoder` of an event, always the outermost value.
struct EventTreeEncoder: Encoder {
    let state: EncodingState
    let slot: SlotWriter.SlotReference

    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        state.container(.event, in: state.text.makeContainer(.object, in: slot))
    }

    /// Encodes an array, which is then found to have no kind.
    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        UnkeyedValueEncoder(state: state, slot: state.text.makeContainer(.array, in: slot))
    }

    func singleValueContainer() -> any SingleValueEncodingContainer {
        SingleEventEncoder(state: state, slot: slot)
    }
}

/// The container that an enum of strings writes its raw value to: the event's `kind`.
struct SingleEventEncoder: SingleValueEncodingContainer {
    let state: EncodingState
    let slot: SlotWriter.SlotReference

    var codingPath: [any CodingKey] { [] }

    func encodeNil() throws {
        try state.text.writeScalar(in: slot) { $0.pointee.null() }
    }

    /// An event that wraps another one becomes that event. Other scalars are found to have no kind.
    func encode<T: Encodable>(_ value: T) throws {
        if EventShape.isScalar(T.self) { return try state.text.writeScalar(in: slot) { _ in try state.encode(value) } }
        guard T.self == String.self, let kind = value as? String else {
            return try state.text.writeScalar(in: slot) { _ in try state.encodeByItself(value, isEvent: true) }
        }
        try state.encodeKind(kind, in: state.text.makeContainer(.object, in: slot))
    }
}

/// An event's `kind`.
extension EncodingState {
    /// Remembers where it is, so that an event without a kind, or with one that is no string, is found.
    ///
    /// - Parameter kind: a string, or the user's own type.
    func encodeKind<T: Encodable>(_ kind: T, in slot: SlotReference) throws {
        guard text.kindOffset == nil else { throw text.secondValue(in: slot) }
        try text.write(in: slot) { writer in
            let start = writer.pointee.count
            writer.pointee.key("kind")
            text.kindOffset = writer.pointee.count
            do {
                try encode(kind)
            } catch {
                text.kindOffset = nil
                writer.pointee.truncate(to: start)
                throw error
            }
        }
    }

    /// - Throws: where the event has no kind, or one that is no string.
    func checkKind<T>(of event: T) throws {
        let isString = text.writer?.pointee.withUnsafeBytes { bytes in
            text.kindOffset.map { $0 < bytes.count && bytes[$0] == ASCII.quote }
        }
        guard isString != true else { return }
        let reason =
            isString == nil ? "missing: an event is an enum or encodes a 'kind' of its own" : "expected a string"
        throw EncodingError.invalidValue(
            event,
            EncodingError.Context(codingPath: [PathKey.member(EventShape.kind)], debugDescription: reason))
    }
}
