/// A JSON value that owns its bytes. It is valid and without white space between its parts, so it has no raw newline.
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

    /// Reads and copies one value, with optional white space around it.
    package init(
        validating bytes: UnsafeRawBufferPointer, maximumDepth: Int = JSONReader.defaultMaximumDepth
    ) throws(JSONError) {
        self.init(try JSONValue(validating: bytes, maximumDepth: maximumDepth))
    }

    /// Makes a text with a writer.
    ///
    /// - Parameter write: must write one whole value; that isn't checked.
    package init(writing write: (inout JSONWriter) -> Void) {
        var writer = JSONWriter()
        write(&writer)
        bytes = writer.takeBytes()
    }

    /// The text `{}`.
    package static let emptyObject = JSONText { writer in
        writer.beginObject()
        writer.endObject()
    }

    /// Calls `body` with the value, which is valid only during the call.
    package func withValue<R, E: Error>(_ body: (JSONValue) throws(E) -> R) throws(E) -> R {
        // `withUnsafeBytes` loses the type of the error, so the error goes through a `Result`.
        let result = bytes.withUnsafeBytes { bytes in
            Result { () throws(E) -> R in try body(JSONValue(validated: bytes)) }
        }
        return try result.get()
    }
}

extension JSONText: Equatable {
    /// Whether both have the same text, byte for byte. Equal values may have other texts.
    package static func == (left: JSONText, right: JSONText) -> Bool { left.bytes == right.bytes }
}

extension JSONText: CustomStringConvertible {
    package var description: String { String(decoding: bytes, as: UTF8.self) }
}

extension JSONText: Codable {
    /// Decodes any value. Works only with this module's decoders, as no other has the value's text.
    package init(from decoder: any Decoder) throws {
        guard let decoder = decoder as? ValueTreeDecoder else {
            let reason = "only this package's decoders give JSON as it is"
            throw DecodingError.dataCorrupted(
                DecodingError.Context(codingPath: decoder.codingPath, debugDescription: reason))
        }
        let text = decoder.state.tape.text
        let start = try decoder.state.tape.entry(decoder.index).offset
        var reader = JSONReader(UnsafeRawBufferPointer(rebasing: text[start...]), maximumDepth: .max)
        self.init(try reader.value())
    }

    package func encode(to encoder: any Encoder) throws {
        guard let encoder = encoder as? ValueTreeEncoder else {
            let context = EncodingError.Context(
                codingPath: encoder.codingPath, debugDescription: "only this package's encoders take JSON as it is")
            throw EncodingError.invalidValue(self, context)
        }
        try encoder.state.text.writeScalar(in: encoder.slot) { $0.pointee.raw(bytes) }
    }
}
