/// The grammar of strings (RFC 8259 §7).
extension JSONGrammar {
    /// Returns the place behind the string whose opening quote is at `start`, and whether the string has escapes. Most strings
    /// are plain and short, and take only one look at eight bytes.
    @inline(__always)
    func endOfString(from start: Int) throws(JSONError) -> (offset: Int, hasEscapes: Bool) {
        let end = first(from: start &+ 1, ByteScan.unusualMask)
        return self[end] == ASCII.quote ? (end &+ 1, false) : try endOfUnusualString(from: end)
    }

    /// Goes on at the first byte that isn't plain ASCII in a string, and returns what `endOfString` does.
    @inline(never)
    private func endOfUnusualString(from start: Int) throws(JSONError) -> (offset: Int, hasEscapes: Bool) {
        var (offset, hasEscapes) = (start, false)
        while true {
            guard offset < count else { throw unexpected(.closingQuote, at: offset) }
            switch self[offset] {
            case ASCII.quote: return (offset &+ 1, hasEscapes)
            case ASCII.backslash: (offset, hasEscapes) = (try endOfEscape(from: offset), true)
            case 0..<0x20: throw JSONError(.unescapedControlCharacter(self[offset]), at: offset)
            default: offset = try endOfNonASCII(from: offset)
            }
            offset = first(from: offset, ByteScan.unusualMask)
        }
    }

    /// Returns the end of a run of characters above U+007F (RFC 3629 §4).
    private func endOfNonASCII(from start: Int) throws(JSONError) -> Int {
        var parser = Unicode.UTF8.ForwardParser()
        var rest = bytes.part(from: start, to: count).makeIterator()
        var offset = start
        while self[offset] >= 0x80 {
            guard case .valid(let character) = parser.parseScalar(from: &rest) else {
                throw JSONError(.invalidUTF8, at: offset)
            }
            offset &+= character.count
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
        // Only a leading surrogate with a trailing one right behind it makes a character.
        guard UTF16.isLeadSurrogate(unit), self[end] == ASCII.backslash, self[end &+ 1] == UInt8(ascii: "u"),
            UTF16.isTrailSurrogate(try escapedUnit(at: end))
        else { throw JSONError(.loneSurrogate, at: start) }
        return end &+ 6
    }

    /// Returns the code unit of the `\u` escape at `start`, from its four digits.
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
