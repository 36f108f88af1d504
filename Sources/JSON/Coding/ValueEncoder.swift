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

extension EncodingState {
    /// Lends the writer to `body`, and takes back what was written if it throws.
    static func encode(
        into writer: inout JSONWriter, _ body: (EncodingState) throws -> Void
    ) throws(JSONCodingError) {
        try withUnsafeMutablePointer(to: &writer) { writer throws(JSONCodingError) in
            let state = EncodingState(writer)
            defer { state.invalidate() }
            do {
                try body(state)
            } catch {
                let failure = state.codingError(error)
                writer.pointee.truncate(to: state.origin)
                throw failure
            }
        }
    }
}
