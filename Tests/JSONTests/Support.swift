import JSON

/// Lends the bytes to `body` with exact bounds, in memory of their own.
func withBytes<R>(_ bytes: some Sequence<UInt8>, _ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
    try Array(bytes).withUnsafeBytes(body)
}

/// The error of validating `text`; nil when it is valid.
func validationError(_ text: some Sequence<UInt8>, maximumDepth: Int = 512) -> JSONError? {
    withBytes(text) { bytes in
        do throws(JSONError) {
            _ = try JSONValue(validating: bytes, maximumDepth: maximumDepth)
            return nil
        } catch {
            return error
        }
    }
}

/// Reads a value out of a text that must be valid.
func read<R>(_ text: String, _ body: (JSONValue) throws -> R) throws -> R {
    try withBytes(text.utf8) { try body(JSONValue(validating: $0)) }
}

func written(_ body: (inout JSONWriter) throws -> Void) rethrows -> String {
    var writer = JSONWriter(capacity: 1)
    try body(&writer)
    return String(decoding: writer.takeBytes(), as: UTF8.self)
}

extension JSONValue {
    /// Nil when it is not a number or too large for a finite one.
    func double() -> Double? { try? ValueDecoder().decode(Double.self, from: self) }
}
