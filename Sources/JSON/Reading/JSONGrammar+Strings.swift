/// RFC 8259 §7.
extension JSONGrammar {
    /// The place behind the string whose opening quote is at `start`. Most are plain and short: one look at eight
    /// bytes.
    @inline(__always)
    func endOfString(from start: Int) throws(JSONError) -> Int {
        let end = first(from: start &+ 1, ByteScan.unusualMask)
        return self[end] == ASCII.quote ? end &+ 1 : try endOfUnusualString(from: end)
    }

    /// As `endOfString`, and whether it has escapes.
    @inline(__always)
    func endOfName(from start: Int) throws(JSONError) -> (offset: Int, hasEscapes: Bool) {
        let end = first(from: start &+ 1, ByteScan.unusualMask)
        if self[end] == ASCII.quote { return (end &+ 1, false) }
        let unusualEnd = try endOfUnusualString(from: end)
        return (unusualEnd, JSONStringText(contents: bytes.part(from: start &+ 1, to: unusualEnd &- 1)).hasEscapes)
    }

    /// From the first byte on that is neither plain ASCII nor the closing quote.
    @inline(never)
    private func endOfUnusualString(from start: Int) throws(JSONError) -> Int {
        var offset = start
        while true {
            guard offset < count else { throw unexpected(.closingQuote, at: offset) }
            switch self[offset] {
            case ASCII.quote: return offset &+ 1
            case ASCII.backslash: offset = try endOfEscape(from: offset)
            case 0..<0x20: throw JSONError(.unescapedControlCharacter(self[offset]), at: offset)
            default: offset = try endOfNonASCII(from: offset)
            }
            offset = first(from: offset, ByteScan.unusualMask)
        }
    }

    /// A run, since text that isn't ASCII seldom comes a character at a time.
    private func endOfNonASCII(from start: Int) throws(JSONError) -> Int {
        var offset = start
        while self[offset] >= 0x80 {
            guard let length = UTF8Sequence.length(bytes, at: offset) else { throw JSONError(.invalidUTF8, at: offset) }
            offset &+= length
        }
        return offset
    }

    private func endOfEscape(from start: Int) throws(JSONError) -> Int {
        guard count &- start >= 2 else { throw JSONError(.unexpectedEnd(expected: .closingQuote), at: count) }
        guard self[start &+ 1] == UInt8(ascii: "u") else {
            guard StringEscape.character(for: self[start &+ 1]) != nil else {
                throw JSONError(.invalidEscape, at: start)
            }
            return start &+ 2
        }
        let unit = try escapedUnit(at: start)
        let end = start &+ 6
        guard UTF16.isSurrogate(unit) else { return end }
        // Only a leading half with its trailing half right behind it makes a character.
        guard UTF16.isLeadSurrogate(unit), self[end] == ASCII.backslash, self[end &+ 1] == UInt8(ascii: "u"),
            UTF16.isTrailSurrogate(try escapedUnit(at: end))
        else { throw JSONError(.loneSurrogate, at: start) }
        return end &+ 6
    }

    /// The four digits of the `\u` at `start`.
    func escapedUnit(at start: Int) throws(JSONError) -> UInt16 {
        var unit: UInt16 = 0
        for offset in (start &+ 2)..<(start &+ 6) {
            guard let digit = StringEscape.value(ofHexadecimalDigit: self[offset]) else {
                throw unexpected(.hexadecimalDigit, at: offset)
            }
            unit = unit << 4 | UInt16(digit)
        }
        return unit
    }
}

/// Well-formed byte sequences: The Unicode Standard, table 3-7; RFC 3629 §4.
enum UTF8Sequence {
    /// The length, 2 to 4, of the well-formed sequence for a character above U+007F at `offset`; nil where there is
    /// none.
    static func length(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> Int? {
        let lead = bytes[offset]
        let length: Int
        var second: ClosedRange<UInt8> = 0x80...0xBF
        switch lead {
        case 0xC2...0xDF: length = 2
        case 0xE0: (length, second) = (3, 0xA0...0xBF)
        case 0xED: (length, second) = (3, 0x80...0x9F)
        case 0xE1...0xEF: length = 3
        case 0xF0: (length, second) = (4, 0x90...0xBF)
        case 0xF1...0xF3: length = 4
        case 0xF4: (length, second) = (4, 0x80...0x8F)
        default: return nil
        }
        guard bytes.count &- offset >= length, second.contains(bytes[offset &+ 1]) else { return nil }
        for place in 2..<4 where place < length {
            guard bytes[offset &+ place] & 0xC0 == 0x80 else { return nil }
        }
        return length
    }
}
