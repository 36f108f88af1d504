/// Reads JSON from borrowed bytes and checks every byte that it passes: grammar (RFC 8259), UTF-8, surrogate escapes,
/// numbers and depth.
///
/// For whoever wants a text's outermost members and its validity from one pass: `forEachMember` hands out each member
/// as soon as it is known to be valid, and `end` must be called for the text to count as valid as a whole. Nothing
/// recurses, so no text can exhaust the stack. After an error a reader stands where the error is and is of no further
/// use.
///
/// The reader and all that it hands out are valid only while the bytes are.
package struct JSONReader {
    /// Of objects and arrays within each other; what the protocol promises to take.
    package static let defaultMaximumDepth = 512

    let bytes: UnsafeRawBufferPointer
    let maximumDepth: Int
    /// Never beyond `bytes.count`, so adding to it can't overflow.
    package internal(set) var offset = 0

    package init(_ bytes: UnsafeRawBufferPointer, maximumDepth: Int = JSONReader.defaultMaximumDepth) {
        self.bytes = bytes
        self.maximumDepth = maximumDepth
    }

    /// The kind of the value that comes next, from its first byte alone; white space before it is passed.
    package mutating func peekKind() throws(JSONError) -> JSONValue.Kind {
        skipWhitespace()
        guard offset < bytes.count else { throw JSONError(.unexpectedEnd(expected: .value), at: offset) }
        guard let kind = JSONValue.Kind(firstByte: bytes[offset]) else { throw unexpected(.value) }
        return kind
    }

    /// The next value, checked whole.
    package mutating func value() throws(JSONError) -> JSONValue {
        try value(insideOf: 0)
    }

    /// Reads an object that comes next. Members come in the order of the text; of duplicates the last one counts.
    package mutating func forEachMember(_ body: (JSONKey, JSONValue) -> Void) throws(JSONError) {
        try open(ASCII.openBrace, .object)
        if consume(ASCII.closeBrace) { return }
        var expected = JSONError.Expectation.memberOrEnd
        repeat {
            let key = try memberName(expected)
            body(key, try value(insideOf: 1))
            expected = .member
        } while try consumeComma(or: ASCII.closeBrace, .commaOrObjectEnd)
    }

    /// Reads an array that comes next.
    package mutating func forEachElement(_ body: (JSONValue) -> Void) throws(JSONError) {
        try open(ASCII.openBracket, .array)
        if consume(ASCII.closeBracket) { return }
        repeat {
            body(try value(insideOf: 1))
        } while try consumeComma(or: ASCII.closeBracket, .commaOrArrayEnd)
    }

    /// Checks that nothing but white space is left.
    package mutating func end() throws(JSONError) {
        skipWhitespace()
        guard offset == bytes.count else { throw unexpected(.end) }
    }

    private mutating func open(_ bracket: UInt8, _ expected: JSONError.Expectation) throws(JSONError) {
        skipWhitespace()
        guard consume(bracket) else { throw unexpected(expected) }
        guard maximumDepth >= 1 else { throw JSONError(.tooDeep(maximum: maximumDepth), at: offset - 1) }
        skipWhitespace()
    }

    private mutating func value(insideOf outerDepth: Int) throws(JSONError) -> JSONValue {
        skipWhitespace()
        let start = offset
        try validateValue(insideOf: outerDepth)
        return JSONValue(validated: UnsafeRawBufferPointer(rebasing: bytes[start..<offset]))
    }
}
