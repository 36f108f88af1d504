/// Reads JSON from borrowed bytes and checks every byte that it passes: grammar (RFC 8259), UTF-8, surrogate escapes,
/// numbers and depth.
///
/// Gives a text's outermost members and its validity in one pass: `forEachMember` hands out each member as soon as it
/// is known to be valid, and the text as a whole is valid once `end` has returned. Nothing recurses, so no text can
/// exhaust the stack. After an error a reader is of no further use.
///
/// The reader and the values that it hands out are valid only while the bytes are.
@usableFromInline
package struct JSONReader {
    /// The nesting of objects and arrays that the protocol promises to take.
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
        try value(insideOf: 0)
    }

    /// Reads an object that comes next. Members come in the order of the text; of duplicates the last one counts.
    ///
    /// Inlined, so that a pass for several members costs no call of a closure.
    @inlinable
    package mutating func forEachMember(_ body: (JSONKey, JSONValue) -> Void) throws(JSONError) {
        guard try openObject() else { return }
        repeat {
            let member = try member()
            body(member.key, member.value)
        } while try isFollowed()
    }

    /// Checks that nothing but white space is left.
    package mutating func end() throws(JSONError) {
        offset = grammar.endOfWhitespace(from: offset)
        guard offset == grammar.count else { throw grammar.unexpected(.end, at: offset) }
    }

    /// Passes the opening brace; false behind the closing one, where nothing is between them.
    @usableFromInline
    mutating func openObject() throws(JSONError) -> Bool {
        offset = grammar.endOfWhitespace(from: offset)
        guard grammar[offset] == ASCII.openBrace else { throw grammar.unexpected(.object, at: offset) }
        guard grammar.maximumDepth >= 1 else {
            throw JSONError(.tooDeep(maximum: grammar.maximumDepth), at: offset)
        }
        offset = grammar.endOfWhitespace(from: offset &+ 1)
        guard grammar[offset] == ASCII.closeBrace else { return true }
        offset &+= 1
        return false
    }

    /// Behind an opening brace or a comma.
    @usableFromInline
    mutating func member() throws(JSONError) -> (key: JSONKey, value: JSONValue) {
        let quote = grammar.endOfWhitespace(from: offset)
        guard grammar[quote] == ASCII.quote else { throw grammar.missingName(at: quote) }
        let (end, hasEscapes) = try grammar.endOfName(from: quote)
        offset = grammar.endOfWhitespace(from: end)
        guard grammar[offset] == ASCII.colon else { throw grammar.unexpected(.colon, at: offset) }
        offset &+= 1
        let name = grammar.bytes.part(from: quote &+ 1, to: end &- 1)
        return (JSONKey(JSONStringText(contents: name, hasEscapes: hasEscapes)), try value(insideOf: 1))
    }

    /// Behind a value: true behind a comma, false behind the closing brace.
    @usableFromInline
    mutating func isFollowed() throws(JSONError) -> Bool {
        offset = grammar.endOfWhitespace(from: offset)
        let byte = grammar[offset]
        guard byte == ASCII.comma || byte == ASCII.closeBrace else {
            throw grammar.unexpected(.commaOrObjectEnd, at: offset)
        }
        offset &+= 1
        return byte == ASCII.comma
    }

    @inline(__always)
    private mutating func value(insideOf outerDepth: Int) throws(JSONError) -> JSONValue {
        let start = grammar.endOfWhitespace(from: offset)
        offset = try grammar.endOfValue(from: start, insideOf: outerDepth)
        return JSONValue(validated: grammar.bytes.part(from: start, to: offset))
    }
}

/// A bound on the number of values, held before anything is made of them.
extension JSONReader {
    /// Whether a text has more than `maximum` members of objects and elements of arrays, as far as it is JSON.
    ///
    /// Counts commas and opening brackets: in one pass over all bytes, where strings may have some too, and only when these
    /// are too many in a second one, which stops at the one too many.
    package static func hasValues(_ text: UnsafeRawBufferPointer, moreThan maximum: Int) -> Bool {
        bytesThatSeparate(in: text) > maximum && values(in: JSONGrammar(text, maximumDepth: 0), upTo: maximum) > maximum
    }

    /// In a loop without a branch, which the compiler makes of vectors.
    private static func bytesThatSeparate(in text: UnsafeRawBufferPointer) -> Int {
        var count = 0
        for byte in text {
            count &+= byte == ASCII.comma || byte | 0x20 == ASCII.openBrace ? 1 : 0
        }
        return count
    }

    private static func values(in text: JSONGrammar, upTo maximum: Int) -> Int {
        var (count, offset) = (0, 0)
        while offset < text.count, count <= maximum {
            let byte = text[offset]
            if byte == ASCII.quote {
                offset = ValidatedText.endOfString(text, from: offset).offset
                continue
            }
            if byte == ASCII.comma || byte | 0x20 == ASCII.openBrace { count &+= 1 }
            offset &+= 1
        }
        return count
    }
}
