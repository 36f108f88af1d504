/// `Encodable` values to JSON, each type in its own `Codable` form: the inverse of `ValueDecoder`.
///
/// Members come in the order in which a type encodes them, those that are nil are left out where `encodeIfPresent` is
/// used, as synthesized code does. A type that encodes a member twice gets it written twice.
package struct ValueEncoder {
    package init() {}

    /// Writes one value, with a comma before it where one is due. If that fails, nothing was written.
    package func encode<T: Encodable>(_ value: T, into writer: inout JSONWriter) throws(JSONCodingError) {
        try EncodingState.encode(into: &writer) { state in try state.encode(value) }
    }

    /// Writes one value as above, and says whether an object is in it, which may change without anybody setting a value.
    package func encodeNotingObjects<T: Encodable>(
        _ value: T, into writer: inout JSONWriter
    ) throws(JSONCodingError) -> Bool {
        var hasObjects = false
        try EncodingState.encode(into: &writer) { state in hasObjects = try state.encodeNotingObjects(value) }
        return hasObjects
    }

    /// Writes an array of the first values, as many as have so many bytes together. If that fails, nothing was written.
    ///
    /// - Parameter allowsLongFirst: the first one is written, however long it is.
    package func encode<T: Encodable>(
        _ values: [T], maximumBytes: Int, allowsLongFirst: Bool, into writer: inout JSONWriter
    ) throws(JSONCodingError) {
        try EncodingState.encode(into: &writer) { state in
            guard let writer = state.text.writer else { return }
            writer.pointee.beginArray()
            let start = writer.pointee.count
            // By index: a sequence's iterator of a type that is only known when the program runs takes memory for each.
            for index in values.indices {
                let before = writer.pointee.count
                try state.encode(values[index])
                if writer.pointee.count - start >= maximumBytes, index > 0 || !allowsLongFirst {
                    writer.pointee.truncate(to: before)
                    break
                }
            }
            writer.pointee.endArray()
        }
    }
}

/// The `Encoder` of one value, as that value's own `encode(to:)` gets it, and its single value container.
struct ValueTreeEncoder: Encoder, SingleValueEncodingContainer {
    let state: EncodingState
    let slot: SlotWriter.SlotReference

    var codingPath: [any CodingKey] { state.text.codingPath(of: slot) }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    /// The value is an event as a whole.
    private var isEvent: Bool { slot.serial == state.text.eventSerial }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        state.container(isEvent ? .event : .value, in: state.text.makeContainer(.object, in: slot))
    }

    /// An event that asks for one is encoded, too, and then found to have no kind.
    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        UnkeyedValueEncoder(state: state, slot: state.text.makeContainer(.array, in: slot))
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { self }

    func encodeNil() throws {
        try state.text.writeScalar(in: slot) { $0.pointee.null() }
    }

    /// Takes the place of all of the protocol's overloads.
    func encode<T: Encodable>(_ value: T) throws {
        if isEvent, !EventShape.isScalar(T.self) { return try encodeEvent(value) }
        try state.text.writeScalar(in: slot) { _ in try state.encode(value) }
    }

    /// The raw value of an enum of strings is the event's kind, and an event that wraps another one becomes that event.
    private func encodeEvent<T: Encodable>(_ value: T) throws {
        if T.self == String.self {
            return try state.encodeKind(value, in: state.text.makeContainer(.object, in: slot))
        }
        try state.text.writeScalar(in: slot) { _ in try state.encodeByItself(value, isEvent: true) }
    }
}

struct UnkeyedValueEncoder: UnkeyedEncodingContainer {
    let state: EncodingState
    let slot: SlotWriter.SlotReference

    var codingPath: [any CodingKey] { state.text.codingPath(of: slot) }

    var count: Int {
        guard let index = try? state.text.index(of: slot) else { return 0 }
        return state.text.slots[index].count
    }

    func encodeNil() throws {
        try element { $0.pointee.null() }
    }

    /// Takes the place of all of the protocol's overloads.
    func encode<T: Encodable>(_ value: T) throws {
        try element { _ in try state.encode(value) }
    }

    func nestedContainer<NestedKey: CodingKey>(keyedBy keyType: NestedKey.Type) -> KeyedEncodingContainer<NestedKey> {
        state.container(.value, in: state.text.makeNested(.object, in: slot, member: nil))
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        UnkeyedValueEncoder(state: state, slot: state.text.makeNested(.array, in: slot, member: nil))
    }

    func superEncoder() -> any Encoder {
        ValueTreeEncoder(state: state, slot: state.text.makeNested(.pending, in: slot, member: nil))
    }

    @inline(__always)
    private func element(_ body: (UnsafeMutablePointer<JSONWriter>) throws -> Void) throws {
        try state.text.write(in: slot, body)
        state.text.slots[slot.index].count += 1
    }
}
