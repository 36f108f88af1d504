extension JSONReader {
    /// Passes the string whose opening quote stands at `offset`. RFC 8259 §7.
    mutating func stringHasEscapes() throws(JSONError) -> Bool {
        var hasEscapes = false
        offset &+= 1
        while true {
            offset = ByteScan.endOfPlainASCII(bytes, from: offset)
            guard offset < bytes.count else { throw unexpected(.closingQuote) }
            switch bytes[offset] {
            case ASCII.quote:
                offset &+= 1
                return hasEscapes
            case ASCII.backslash:
                hasEscapes = true
                try validateEscape()
            case 0..<0x20:
                throw JSONError(.unescapedControlCharacter(bytes[offset]), at: offset)
            default:
                try validateNonASCII()
            }
        }
    }

    /// A run, since text that isn't ASCII seldom comes a character at a time.
    private mutating func validateNonASCII() throws(JSONError) {
        while offset < bytes.count, bytes[offset] >= 0x80 {
            guard let length = UTF8Sequence.length(bytes, at: offset) else { throw JSONError(.invalidUTF8, at: offset) }
            offset &+= length
        }
    }

    private mutating func validateEscape() throws(JSONError) {
        let start = offset
        guard bytes.count &- start >= 2 else {
            throw JSONError(.unexpectedEnd(expected: .closingQuote), at: bytes.count)
        }
        guard bytes[start &+ 1] == UInt8(ascii: "u") else {
            guard JSONStringText.character(escapedAs: bytes[start &+ 1]) != nil else {
                throw JSONError(.invalidEscape, at: start)
            }
            offset &+= 2
            return
        }
        let unit = try escapedUnit()
        guard UTF16.isSurrogate(unit) else { return }
        // Only a leading half with its trailing half right behind it makes a character.
        guard UTF16.isLeadSurrogate(unit), bytes.count &- offset >= 2, bytes[offset] == ASCII.backslash,
            bytes[offset &+ 1] == UInt8(ascii: "u"), UTF16.isTrailSurrogate(try escapedUnit())
        else { throw JSONError(.loneSurrogate, at: start) }
    }

    /// The four digits of the `\u` at `offset`.
    private mutating func escapedUnit() throws(JSONError) -> UInt16 {
        offset &+= 2
        var unit: UInt16 = 0
        for _ in 0..<4 {
            guard offset < bytes.count, let digit = JSONStringText.value(ofHexadecimalDigit: bytes[offset]) else {
                throw unexpected(.hexadecimalDigit)
            }
            unit = unit << 4 | UInt16(digit)
            offset &+= 1
        }
        return unit
    }
}
