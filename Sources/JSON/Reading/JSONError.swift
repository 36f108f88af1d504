/// The reason why a text is not JSON, and the place of the error; used as the text of a JSON-RPC parse error.
@usableFromInline
package struct JSONError: Error, Hashable, Sendable, CustomStringConvertible {
    package let reason: Reason
    /// The place of the error in bytes, counted from 0; the text's length if the text ends too early.
    package let offset: Int

    package init(_ reason: Reason, at offset: Int) {
        self.reason = reason
        self.offset = offset
    }

    @usableFromInline
    package var description: String { "\(reason) at byte \(offset)" }
}

extension JSONError {
    package enum Reason: Hashable, Sendable {
        case unexpectedByte(UInt8, expected: Expectation)
        case unexpectedEnd(expected: Expectation)
        /// Invalid UTF-8, which includes overlong forms, surrogates, code points above U+10FFFF and cut sequences (RFC 3629
        /// §4).
        case invalidUTF8
        /// An escape such as `\uD800` without its other half (RFC 8259 §8.2). A surrogate as bytes is `invalidUTF8`.
        case loneSurrogate
        case unescapedControlCharacter(UInt8)
        case invalidEscape
        case tooDeep(maximum: Int)
    }

    /// The part of the grammar that is allowed at a place.
    package enum Expectation: String, Hashable, Sendable {
        case value = "a value"
        case object = "'{'"
        case array = "'['"
        case member = "a member name in quotes"
        case memberOrEnd = "a member name in quotes or '}'"
        case elementOrEnd = "a value or ']'"
        case colon = "':'"
        case commaOrObjectEnd = "',' or '}'"
        case commaOrArrayEnd = "',' or ']'"
        case digit = "a digit"
        case closingQuote = "a closing '\"'"
        case hexadecimalDigit = "a hexadecimal digit"
        case literalTrue = "'true'"
        case literalFalse = "'false'"
        case literalNull = "'null'"
        case end = "the end of the text"
    }
}

extension JSONError.Reason: CustomStringConvertible {
    package var description: String {
        switch self {
        case .unexpectedByte(let byte, let expected): "expected \(expected.rawValue) but found \(Self.name(of: byte))"
        case .unexpectedEnd(let expected): "expected \(expected.rawValue) but the text ends"
        case .invalidUTF8: "invalid UTF-8"
        case .loneSurrogate: "a \\u escape that is half of a surrogate pair"
        case .unescapedControlCharacter(let byte): "the control character \(Self.name(of: byte)) must be escaped"
        case .invalidEscape: "'\\' starts no escape that JSON knows"
        case .tooDeep(let maximum): "nested deeper than \(maximum)"
        }
    }

    private static func name(of byte: UInt8) -> String {
        if (0x20..<0x7F).contains(byte) { return "'\(Unicode.Scalar(byte))'" }
        let digits = String(byte, radix: 16, uppercase: true)
        return digits.utf8.count == 1 ? "0x0\(digits)" : "0x\(digits)"
    }
}
