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

    let grammar: JSONGrammar
    /// Never beyond the end.
    package private(set) var offset = 0

    package init(_ bytes: UnsafeRawBufferPointer, maximumDepth: Int = JSONReader.defaultMaximumDepth) {
        grammar = JSONGrammar(bytes, maximumDepth: maximumDepth)
    }

    /// The kind of the value that comes next, from its first byte alone; white space before it is passed.
    package mutating func peekKind() throws(JSONError) -> JSONValue.Kind {
        offset = grammar.endOfWhitespace(from: offset)
        guard let kind = JSONValue.Kind(firstByte: grammar[offset]) else {
            throw grammar.unexpected(.value, at: offset)
        }
        return kind
    }

    /// The next value, checked whole.
    package mutating func value() throws(JSONError) -> JSONValue {
        try value(insideOf: 0, .value)
    }

    /// Reads an object that comes next. Members come in the order of the text; of duplicates the last one counts.
    package mutating func forEachMember(_ body: (JSONKey, JSONValue) -> Void) throws(JSONError) {
        var isMore = try open(ASCII.openBrace, .object)
        var expected = JSONError.Expectation.memberOrEnd
        while isMore {
            let key = try key(expected)
            body(key, try value(insideOf: 1, .value))
            expected = .member
            isMore = try comma(or: ASCII.closeBrace, .commaOrObjectEnd)
        }
    }

    /// Reads an array that comes next.
    package mutating func forEachElement(_ body: (JSONValue) -> Void) throws(JSONError) {
        var isMore = try open(ASCII.openBracket, .array)
        var expected = JSONError.Expectation.elementOrEnd
        while isMore {
            body(try value(insideOf: 1, expected))
            expected = .value
            isMore = try comma(or: ASCII.closeBracket, .commaOrArrayEnd)
        }
    }

    /// Checks that nothing but white space is left.
    package mutating func end() throws(JSONError) {
        offset = grammar.endOfWhitespace(from: offset)
        guard offset == grammar.count else { throw grammar.unexpected(.end, at: offset) }
    }

    /// Passes the opening bracket; false behind the closing one, where nothing is between them.
    @inline(__always)
    private mutating func open(_ bracket: UInt8, _ expected: JSONError.Expectation) throws(JSONError) -> Bool {
        offset = grammar.endOfWhitespace(from: offset)
        guard grammar[offset] == bracket else { throw grammar.unexpected(expected, at: offset) }
        guard grammar.maximumDepth >= 1 else {
            throw JSONError(.tooDeep(maximum: grammar.maximumDepth), at: offset)
        }
        offset = grammar.endOfWhitespace(from: offset &+ 1)
        // The closing bracket is the opening one plus two.
        guard grammar[offset] == bracket &+ 2 else { return true }
        offset &+= 1
        return false
    }

    /// A name and the colon behind it.
    @inline(__always)
    private mutating func key(_ expected: JSONError.Expectation) throws(JSONError) -> JSONKey {
        let quote = grammar.endOfWhitespace(from: offset)
        guard grammar[quote] == ASCII.quote else { throw grammar.unexpected(expected, at: quote) }
        let end = try grammar.endOfString(from: quote)
        offset = grammar.endOfWhitespace(from: end)
        guard grammar[offset] == ASCII.colon else { throw grammar.unexpected(.colon, at: offset) }
        offset &+= 1
        return JSONKey(JSONStringText(contents: grammar.bytes.part(from: quote &+ 1, to: end &- 1)))
    }

    /// True behind a comma, false behind `end`.
    @inline(__always)
    private mutating func comma(or end: UInt8, _ expected: JSONError.Expectation) throws(JSONError) -> Bool {
        offset = grammar.endOfWhitespace(from: offset)
        let byte = grammar[offset]
        guard byte == ASCII.comma || byte == end else { throw grammar.unexpected(expected, at: offset) }
        offset &+= 1
        return byte == ASCII.comma
    }

    @inline(__always)
    private mutating func value(
        insideOf outerDepth: Int, _ expected: JSONError.Expectation
    ) throws(JSONError) -> JSONValue {
        let start = grammar.endOfWhitespace(from: offset)
        offset = try grammar.endOfValue(from: start, insideOf: outerDepth, expected)
        return JSONValue(validated: grammar.bytes.part(from: start, to: offset))
    }
}
