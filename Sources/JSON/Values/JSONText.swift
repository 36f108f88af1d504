/// One JSON value that owns its bytes: valid, without white space between its parts, and so without a raw newline.
///
/// Members keep their order, and strings and numbers the form in which they were written.
package struct JSONText: Hashable, Sendable {
    package let bytes: [UInt8]

    /// Copies `value`, without the white space in it.
    package init(_ value: JSONValue) {
        var writer = JSONWriter(capacity: value.text.count)
        writer.compact(value)
        bytes = writer.takeBytes()
    }

    /// Reads one value with optional white space around it.
    package init(
        validating bytes: UnsafeRawBufferPointer, maximumDepth: Int = JSONReader.defaultMaximumDepth
    ) throws(JSONError) {
        self.init(try JSONValue(validating: bytes, maximumDepth: maximumDepth))
    }

    /// - Parameter write: writes one whole value.
    package init(writing write: (inout JSONWriter) -> Void) {
        var writer = JSONWriter()
        write(&writer)
        bytes = writer.takeBytes()
    }

    /// Lends the value for the call.
    package func withValue<R, E: Error>(_ body: (JSONValue) throws(E) -> R) throws(E) -> R {
        // The array's own door throws any error.
        let result = bytes.withUnsafeBytes { bytes in
            Result { () throws(E) -> R in try body(JSONValue(validated: bytes)) }
        }
        return try result.get()
    }
}

extension JSONText: CustomStringConvertible {
    package var description: String { String(decoding: bytes, as: UTF8.self) }
}
