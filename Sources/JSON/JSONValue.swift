/// One JSON value inside borrowed bytes that were validated before. Valid only while those bytes are.
///
/// Passing a value costs a skip over strings and brackets, nothing is checked twice and nothing is kept. So looking up
/// a member costs a pass over the object each time; who needs many decodes them or uses `forEachMember`.
@usableFromInline
package struct JSONValue {
    /// Exactly this value's bytes, no white space around them. Never empty.
    package let text: UnsafeRawBufferPointer

    /// `text` must be one value that a `JSONReader` has passed.
    init(validated text: UnsafeRawBufferPointer) {
        self.text = text
    }

    /// The whole of `bytes` must be one value with optional white space around it (RFC 8259 §2).
    package init(
        validating bytes: UnsafeRawBufferPointer, maximumDepth: Int = JSONReader.defaultMaximumDepth
    ) throws(JSONError) {
        var reader = JSONReader(bytes, maximumDepth: maximumDepth)
        self = try reader.value()
        try reader.end()
    }

    package var kind: Kind { text.isEmpty ? .null : Kind(firstByte: text[0]) ?? .null }

    /// Escapes decoded; nil when it is not a string.
    package func string() -> String? { stringText?.string() }

    /// Whether it is this string, without making one.
    ///
    /// - Parameter expected: without a backslash.
    package func isString(_ expected: StaticString) -> Bool {
        expected.withUTF8Buffer { expected in
            let expected = UnsafeRawBufferPointer(expected)
            // No escape is as short as what it stands for.
            guard text.count > expected.count &+ 2 else {
                return text.count == expected.count &+ 2 && text[0] == ASCII.quote
                    && ByteScan.isEqual(text.part(from: 1, to: text.count &- 1), expected)
            }
            return stringText.map { $0.hasEscapes && $0.isEqual(to: expected) } ?? false
        }
    }

    /// What stands between a string's quotes; nil when it is not a string, or has escapes, so that these bytes aren't
    /// its characters.
    package var stringBytes: UnsafeRawBufferPointer? {
        guard let stringText, !stringText.hasEscapes else { return nil }
        return stringText.contents
    }

    /// As a name, to compare with literals; nil when it is not a string.
    package var key: JSONKey? { stringText.map { JSONKey($0) } }

    package func boolean() -> Bool? {
        switch kind {
        case .boolean: text[0] == UInt8(ascii: "t")
        default: nil
        }
    }

    var stringText: JSONStringText? {
        guard text.count >= 2, text[0] == ASCII.quote else { return nil }
        return JSONStringText(contents: text.part(from: 1, to: text.count &- 1))
    }
}
