/// The bytes that JSON's grammar names.
@usableFromInline
enum ASCII {
    @usableFromInline static let quote = UInt8(ascii: "\"")
    @usableFromInline static let backslash = UInt8(ascii: "\\")
    @usableFromInline static let slash = UInt8(ascii: "/")
    @usableFromInline static let comma = UInt8(ascii: ",")
    @usableFromInline static let colon = UInt8(ascii: ":")
    @usableFromInline static let openBrace = UInt8(ascii: "{")
    @usableFromInline static let closeBrace = UInt8(ascii: "}")
    @usableFromInline static let openBracket = UInt8(ascii: "[")
    @usableFromInline static let closeBracket = UInt8(ascii: "]")
    @usableFromInline static let zero = UInt8(ascii: "0")
    @usableFromInline static let nine = UInt8(ascii: "9")
    @usableFromInline static let minus = UInt8(ascii: "-")
    @usableFromInline static let plus = UInt8(ascii: "+")
    @usableFromInline static let dot = UInt8(ascii: ".")
    @usableFromInline static let space = UInt8(ascii: " ")
    @usableFromInline static let newline = UInt8(ascii: "\n")
    @usableFromInline static let carriageReturn = UInt8(ascii: "\r")
    @usableFromInline static let tab = UInt8(ascii: "\t")

    @inlinable
    static func isWhitespace(_ byte: UInt8) -> Bool {
        byte == space || byte == newline || byte == carriageReturn || byte == tab
    }

    @inlinable
    static func isDigit(_ byte: UInt8) -> Bool {
        byte &- zero <= 9
    }

    /// Whether a byte is `e` or `E`.
    @inlinable
    static func isExponentMark(_ byte: UInt8) -> Bool {
        byte | 0x20 == UInt8(ascii: "e")
    }

    /// Whether a JSON value may end with `byte`. Never true for an opening bracket, a comma, a colon or white space.
    @inlinable @inline(__always)
    static func endsValue(_ byte: UInt8) -> Bool {
        switch byte {
        case openBrace, openBracket, comma, colon: false
        default: byte > space
        }
    }
}
