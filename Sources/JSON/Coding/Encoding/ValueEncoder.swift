/// An encoder of `Encodable` values to JSON, each type in its own `Codable` form: the inverse of `ValueDecoder`.
///
/// Members come in the order in which a type encodes them. Members that are nil are left out if the type uses
/// `encodeIfPresent`, as synthesized code does. A member that a type encodes twice is written twice.
package struct ValueEncoder {
    package init() {}

    /// Writes one value, with a comma before it if one is due. If that fails, nothing is written.
    package func encode<T: Encodable>(_ value: T, into writer: inout JSONWriter) throws(JSONCodingError) {
        try EncodingState.encode(into: &writer) { state in try state.encode(value) }
    }

    /// Writes one value as `encode(_:into:)` does, and returns whether it contains an instance of a class. Such a value may
    /// change without anybody setting it.
    package func encodeNotingObjects<T: Encodable>(
        _ value: T, into writer: inout JSONWriter
    ) throws(JSONCodingError) -> Bool {
        var hasObjects = false
        try EncodingState.encode(into: &writer) { state in hasObjects = try state.encodeNotingObjects(value) }
        return hasObjects
    }

    /// Writes an array of as many of the first values as fit into `maximumBytes`. If that fails, nothing is written.
    ///
    /// - Parameter allowsLongFirst: whether the first value is written even if it alone is too long.
    package func encode<T: Encodable>(
        _ values: [T], maximumBytes: Int, allowsLongFirst: Bool, into writer: inout JSONWriter
    ) throws(JSONCodingError) {
        try EncodingState.encode(into: &writer) { state in
            guard let writer = state.text.writer else { return }
            writer.pointee.beginArray()
            let start = writer.pointee.count
            // By index: an iterator over values of a generic type allocates memory for each.
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

    /// Whether the value is an event as a whole.
    private var isEvent: Bool { slot.serial == state.text.eventSerial }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        state.container(isEvent ? .event : .value, in: state.text.makeContainer(.object, in: slot))
    }

    /// Returns a container for an array. An event that asks for one is encoded, too, and then found to have no kind.
    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        UnkeyedValueEncoder(state: state, slot: state.text.makeContainer(.array, in: slot))
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { self }

    func encodeNil() throws {
        try state.text.writeScalar(in: slot) { $0.pointee.null() }
    }

    /// Encodes the single value. Serves every overload of the protocol.
    func encode<T: Encodable>(_ value: T) throws {
        if isEvent, !EventShape.isScalar(T.self) { return try encodeEvent(value) }
        try state.text.writeScalar(in: slot) { _ in try state.encode(value) }
    }

    /// Encodes the single value of an event: the raw value of an enum of strings becomes the kind, and a wrapped event becomes
    /// the event.
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

    /// Encodes the next element. Serves every overload of the protocol.
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
