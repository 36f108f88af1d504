extension JSONReader {
    /// Passes one value, whatever it holds.
    mutating func validateValue(insideOf outerDepth: Int) throws(JSONError) {
        var stack = ContainerStack()
        var expected = JSONError.Expectation.value
        while true {
            skipWhitespace()
            guard offset < bytes.count else { throw unexpected(expected) }
            switch bytes[offset] {
            case ASCII.openBrace:
                try push(isObject: true, onto: &stack, insideOf: outerDepth)
                if !consume(ASCII.closeBrace) {
                    _ = try memberName(.memberOrEnd)
                    expected = .value
                    continue
                }
                stack.pop()
            case ASCII.openBracket:
                try push(isObject: false, onto: &stack, insideOf: outerDepth)
                if !consume(ASCII.closeBracket) {
                    expected = .elementOrEnd
                    continue
                }
                stack.pop()
            default: try validateScalar(expected)
            }
            guard try advance(&stack) else { return }
            expected = .value
        }
    }

    /// Behind a value: passes what closes containers up to the place of the next value. False when none is due.
    private mutating func advance(_ stack: inout ContainerStack) throws(JSONError) -> Bool {
        while stack.depth > 0 {
            if stack.isInObject {
                if try consumeComma(or: ASCII.closeBrace, .commaOrObjectEnd) {
                    _ = try memberName(.member)
                    return true
                }
            } else if try consumeComma(or: ASCII.closeBracket, .commaOrArrayEnd) {
                return true
            }
            stack.pop()
        }
        return false
    }

    private mutating func push(
        isObject: Bool, onto stack: inout ContainerStack, insideOf outerDepth: Int
    ) throws(JSONError) {
        guard stack.depth < maximumDepth - outerDepth else {
            throw JSONError(.tooDeep(maximum: maximumDepth), at: offset)
        }
        stack.push(isObject: isObject)
        offset &+= 1
        skipWhitespace()
    }

    private mutating func validateScalar(_ expected: JSONError.Expectation) throws(JSONError) {
        switch bytes[offset] {
        case ASCII.quote: _ = try stringHasEscapes()
        case ASCII.minus, ASCII.zero...ASCII.nine: try validateNumber()
        case UInt8(ascii: "t"): try validateLiteral("true", .literalTrue)
        case UInt8(ascii: "f"): try validateLiteral("false", .literalFalse)
        case UInt8(ascii: "n"): try validateLiteral("null", .literalNull)
        default: throw unexpected(expected)
        }
    }

    private mutating func validateLiteral(
        _ literal: StaticString, _ expected: JSONError.Expectation
    ) throws(JSONError) {
        let matching = literal.withUTF8Buffer { text in zip(text, bytes[offset...]).prefix { $0 == $1 }.count }
        offset &+= matching
        guard matching == literal.utf8CodeUnitCount else { throw unexpected(expected) }
    }

    /// RFC 8259 §6.
    private mutating func validateNumber() throws(JSONError) {
        _ = consume(ASCII.minus)
        if !consume(ASCII.zero) { try validateDigits() }
        if consume(ASCII.dot) { try validateDigits() }
        if offset < bytes.count, ASCII.isExponentMark(bytes[offset]) {
            offset &+= 1
            if !consume(ASCII.plus) { _ = consume(ASCII.minus) }
            try validateDigits()
        }
    }

    private mutating func validateDigits() throws(JSONError) {
        guard offset < bytes.count, ASCII.isDigit(bytes[offset]) else { throw unexpected(.digit) }
        repeat { offset &+= 1 } while offset < bytes.count && ASCII.isDigit(bytes[offset])
    }

    /// A name and the colon behind it.
    mutating func memberName(_ expected: JSONError.Expectation) throws(JSONError) -> JSONKey {
        skipWhitespace()
        guard offset < bytes.count, bytes[offset] == ASCII.quote else { throw unexpected(expected) }
        let start = offset &+ 1
        let hasEscapes = try stringHasEscapes()
        let contents = UnsafeRawBufferPointer(rebasing: bytes[start..<(offset &- 1)])
        skipWhitespace()
        guard consume(ASCII.colon) else { throw unexpected(.colon) }
        return JSONKey(contents: contents, hasEscapes: hasEscapes)
    }

    /// True behind a comma, false behind `end`.
    mutating func consumeComma(or end: UInt8, _ expected: JSONError.Expectation) throws(JSONError) -> Bool {
        skipWhitespace()
        if consume(ASCII.comma) { return true }
        guard consume(end) else { throw unexpected(expected) }
        return false
    }

    mutating func consume(_ byte: UInt8) -> Bool {
        guard offset < bytes.count, bytes[offset] == byte else { return false }
        offset &+= 1
        return true
    }

    mutating func skipWhitespace() {
        while offset < bytes.count, ASCII.isWhitespace(bytes[offset]) { offset &+= 1 }
    }

    func unexpected(_ expected: JSONError.Expectation) -> JSONError {
        guard offset < bytes.count else { return JSONError(.unexpectedEnd(expected: expected), at: bytes.count) }
        return JSONError(.unexpectedByte(bytes[offset], expected: expected), at: offset)
    }
}
