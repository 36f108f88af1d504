extension JSONGrammar {
    /// Returns the end of a number or literal.
    @inline(__always)
    func endOfScalar(from start: Int) throws(JSONError) -> Int {
        let byte = self[start]
        if ASCII.isDigit(byte) || byte == ASCII.minus { return try endOfNumber(from: start) }
        return try endOfLiteral(from: start)
    }

    private func endOfLiteral(from start: Int) throws(JSONError) -> Int {
        let (literal, expected): (StaticString, JSONError.Expectation) =
            switch self[start] {
            case UInt8(ascii: "t"): ("true", .literalTrue)
            case UInt8(ascii: "f"): ("false", .literalFalse)
            case UInt8(ascii: "n"): ("null", .literalNull)
            default: throw missingValue(at: start)
            }
        let matching = literal.withUTF8Buffer { literal in
            literal.indices.first { self[start &+ $0] != literal[$0] } ?? literal.count
        }
        guard matching == literal.utf8CodeUnitCount else { throw unexpected(expected, at: start &+ matching) }
        return start &+ matching
    }

    /// Returns the end of a number (RFC 8259 §6).
    @inline(__always)
    private func endOfNumber(from start: Int) throws(JSONError) -> Int {
        var offset = self[start] == ASCII.minus ? start &+ 1 : start
        if self[offset] == ASCII.zero {
            offset &+= 1
        } else {
            offset = try endOfDigits(from: offset)
        }
        let byte = self[offset]
        return byte == ASCII.dot || ASCII.isExponentMark(byte) ? try endOfFraction(from: offset) : offset
    }

    /// Returns the end of a number whose decimal point or exponent mark is at `start`.
    private func endOfFraction(from start: Int) throws(JSONError) -> Int {
        var offset = start
        if self[offset] == ASCII.dot { offset = try endOfDigits(from: offset &+ 1) }
        guard ASCII.isExponentMark(self[offset]) else { return offset }
        offset &+= 1
        if self[offset] == ASCII.plus || self[offset] == ASCII.minus { offset &+= 1 }
        return try endOfDigits(from: offset)
    }

    @inline(__always)
    private func endOfDigits(from start: Int) throws(JSONError) -> Int {
        guard ASCII.isDigit(self[start]) else { throw unexpected(.digit, at: start) }
        var offset = start &+ 1
        while ASCII.isDigit(self[offset]) { offset &+= 1 }
        return offset
    }
}
