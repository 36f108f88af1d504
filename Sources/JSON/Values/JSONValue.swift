/// A JSON value inside borrowed bytes that were validated before. Valid only while those bytes are.
///
/// Nothing is validated twice and nothing is cached: looking up a member is a pass over the object each time. For several
/// members, use `forEachMember` or decode the value.
@usableFromInline
package struct JSONValue {
    /// Exactly this value's bytes, no white space around them. Never empty.
    @usableFromInline package let text: UnsafeRawBufferPointer

    /// Wraps `text`, which must be one value that a `JSONReader` has passed.
    init(validated text: UnsafeRawBufferPointer) {
        self.text = text
    }

    /// Validates `bytes`, which must be one value with optional white space around it (RFC 8259 §2).
    package init(
        validating bytes: UnsafeRawBufferPointer, maximumDepth: Int = JSONReader.defaultMaximumDepth
    ) throws(JSONError) {
        var reader = JSONReader(bytes, maximumDepth: maximumDepth)
        self = try reader.value()
        try reader.end()
    }

    package var kind: Kind { text.isEmpty ? .null : Kind(firstByte: text[0]) ?? .null }

    /// Returns the string with its escapes decoded; nil if this is not a string.
    package func string() -> String? { stringText?.string() }

    /// Whether this is the string `expected`. Compares bytes, without making a `String`.
    ///
    /// - Parameter expected: must have no backslash.
    package func isString(_ expected: StaticString) -> Bool {
        // Nearly always the value has no escapes and the same bytes.
        if text.first == ASCII.quote, text.part(from: 1, to: text.count &- 1).isExactly(expected) { return true }
        return stringText?.isEqual(to: expected) ?? false
    }

    /// The string as a key, to be compared with literals; nil if this is not a string.
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

/// Numbers.
extension JSONValue {
    /// Returns the exact number; nil if this is not a number, not integral, or does not fit. `1.0` and `1e2` are integral.
    ///
    /// The number never goes through `Double`, and a large exponent takes no more time than a small one.
    package func integer<I: FixedWidthInteger>(as type: I.Type = I.self) -> I? {
        ShortNumber(text)?.integer(as: type) ?? NumberText(text)?.integer(as: type)
    }

    /// Returns the exact integer as the generic function does, without generics for the most common type.
    package func integer(as type: Int.Type) -> Int? {
        ShortNumber(text)?.integer(as: type) ?? NumberText(text)?.integer(as: type)
    }

    /// Whether the text is `-?(0|[1-9][0-9]*)`: an integer, written as one.
    package func isIntegerText() -> Bool {
        guard kind == .number else { return false }
        return text.allSatisfy { ASCII.isDigit($0) || $0 == ASCII.minus }
    }
}

extension JSONValue {
    package enum Kind: Hashable, Sendable {
        case object, array, string, number, boolean, null

        /// Returns the kind of a value that begins with this byte; nil if no value does.
        init?(firstByte: UInt8) {
            switch firstByte {
            case ASCII.openBrace: self = .object
            case ASCII.openBracket: self = .array
            case ASCII.quote: self = .string
            case ASCII.minus, ASCII.zero...ASCII.nine: self = .number
            case UInt8(ascii: "t"), UInt8(ascii: "f"): self = .boolean
            case UInt8(ascii: "n"): self = .null
            default: return nil
            }
        }
    }
}

/// The kind as a sentence names it: "expected an integer but found a string".
extension JSONValue.Kind: CustomStringConvertible {
    package var description: String {
        switch self {
        case .object: "an object"
        case .array: "an array"
        case .string: "a string"
        case .number: "a number"
        case .boolean: "a boolean"
        case .null: "null"
        }
    }
}
