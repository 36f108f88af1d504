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
}
