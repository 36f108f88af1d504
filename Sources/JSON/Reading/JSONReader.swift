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
    /// The nesting of objects and arrays that the protocol promises to accept.
    @usableFromInline package static let defaultMaximumDepth = 512

    let grammar: JSONGrammar
    /// The place of the next byte, never beyond the end.
    package private(set) var offset = 0
    /// Whether the opening bracket was passed of the object or array that is read member by member.
    private var isInside = false

    @usableFromInline
    package init(_ bytes: UnsafeRawBufferPointer, maximumDepth: Int = JSONReader.defaultMaximumDepth) {
        grammar = JSONGrammar(bytes, maximumDepth: maximumDepth)
    }

    /// Returns the kind of the next value, judged by its first byte alone. White space before it is passed.
    package mutating func peekKind() throws(JSONError) -> JSONValue.Kind {
        offset = grammar.endOfWhitespace(from: offset)
        guard let kind = JSONValue.Kind(firstByte: grammar[offset]) else {
            throw grammar.unexpected(.value, at: offset)
        }
        return kind
    }

    /// Reads an object that comes next. Members come in the order of the text; of duplicates the last one counts.
    ///
    /// Inlined, so that a pass for several members costs no call of a closure.
    @inlinable
    package mutating func forEachMember(_ body: (JSONKey, JSONValue) -> Void) throws(JSONError) {
        while let (key, value) = try nextMember() { body(key, value) }
    }

    /// Checks that nothing but white space is left.
    package mutating func end() throws(JSONError) {
        offset = grammar.endOfWhitespace(from: offset)
        guard offset == grammar.count else { throw grammar.unexpected(.end, at: offset) }
    }

    /// Reads the next member of the object; nil behind its closing brace.
    @usableFromInline
    mutating func nextMember() throws(JSONError) -> (key: JSONKey, value: JSONValue)? {
        guard let key = try nextKey() else { return nil }
        return (key, try value(insideOf: 1))
    }

    /// Passes the beginning of an object up to the end of its first member, if the text begins with exactly these bytes.
    /// Otherwise returns false and passes nothing. The rest of the object is read as usual.
    ///
    /// - Parameter beginning: an opening brace and a whole member.
    package mutating func pass(_ beginning: StaticString) -> Bool {
        let length = beginning.utf8CodeUnitCount
        guard offset == 0, grammar.maximumDepth >= 1, grammar.count >= length,
            grammar.bytes.part(from: 0, to: length).isExactly(beginning)
        else { return false }
        (offset, isInside) = (length, true)
        return true
    }

    /// Reads the next member of the object. If it has this name, and is an object or array, `notes` get the places of the
    /// values inside it.
    package mutating func nextMember(
        noting name: StaticString, in notes: ValueNotes
    ) throws(JSONError) -> (key: JSONKey, value: JSONValue)? {
        guard let key = try nextKey() else { return nil }
        offset = grammar.endOfWhitespace(from: offset)
        let isContainer = grammar[offset] == ASCII.openBrace || grammar[offset] == ASCII.openBracket
        guard isContainer, key == name, let end = try notes.take(grammar, from: offset, insideOf: 1) else {
            return (key, try value(insideOf: 1))
        }
        defer { offset = end }
        return (key, JSONValue(validated: grammar.bytes.part(from: offset, to: end)))
    }

    @inline(__always)
    private mutating func nextKey() throws(JSONError) -> JSONKey? {
        guard try advance(in: ASCII.openBrace) else { return nil }
        let quote = grammar.endOfWhitespace(from: offset)
        guard grammar[quote] == ASCII.quote else { throw grammar.missingName(at: quote) }
        let (end, hasEscapes) = try grammar.endOfString(from: quote)
        offset = grammar.endOfWhitespace(from: end)
        guard grammar[offset] == ASCII.colon else { throw grammar.unexpected(.colon, at: offset) }
        offset &+= 1
        let name = grammar.bytes.part(from: quote &+ 1, to: end &- 1)
        return JSONKey(JSONStringText(contents: name, hasEscapes: hasEscapes))
    }

    /// Reads the next element of the array; nil behind its closing bracket.
    mutating func nextElement() throws(JSONError) -> JSONValue? {
        try advance(in: ASCII.openBracket) ? try value(insideOf: 1) : nil
    }

    /// Passes the opening bracket, or the comma behind a value. Returns false behind the closing bracket.
    @inline(__always)
    private mutating func advance(in bracket: UInt8) throws(JSONError) -> Bool {
        offset = grammar.endOfWhitespace(from: offset)
        let byte = grammar[offset]
        let isObject = bracket == ASCII.openBrace
        // In ASCII, each closing bracket is its opening one plus two.
        if isInside {
            guard byte == ASCII.comma || byte == bracket &+ 2 else {
                throw grammar.unexpected(isObject ? .commaOrObjectEnd : .commaOrArrayEnd, at: offset)
            }
            isInside = byte == ASCII.comma
        } else {
            guard byte == bracket else { throw grammar.unexpected(isObject ? .object : .array, at: offset) }
            guard grammar.maximumDepth >= 1 else {
                throw JSONError(.tooDeep(maximum: grammar.maximumDepth), at: offset)
            }
            let next = grammar.endOfWhitespace(from: offset &+ 1)
            isInside = grammar[next] != bracket &+ 2
            if !isInside { offset = next }
        }
        offset &+= 1
        return isInside
    }

    /// Reads and checks the next value as a whole.
    ///
    /// - Parameter outerDepth: the number of containers around the value, which count for the maximum depth.
    @inline(__always)
    package mutating func value(insideOf outerDepth: Int = 0) throws(JSONError) -> JSONValue {
        let start = grammar.endOfWhitespace(from: offset)
        if grammar[start] == ASCII.quote {
            offset = try grammar.endOfString(from: start).offset
        } else {
            var visitor = NoVisitor()
            offset = try grammar.endOfValue(from: start, insideOf: outerDepth, &visitor)
        }
        return JSONValue(validated: grammar.bytes.part(from: start, to: offset))
    }
}

/// A limit on the number of values, checked before any of them is decoded.
extension JSONReader {
    /// Whether a text has more than `maximum` members of objects and elements of arrays.
    ///
    /// Counts commas and opening brackets outside of strings, and stops as soon as there are too many. Behind an invalid string
    /// nothing is counted.
    package static func hasValues(_ text: UnsafeRawBufferPointer, moreThan maximum: Int) -> Bool {
        let grammar = JSONGrammar(text, maximumDepth: 0)
        var (count, offset) = (0, 0)
        while offset < text.count, count <= maximum {
            let byte = grammar[offset]
            if byte == ASCII.comma || byte == ASCII.openBrace || byte == ASCII.openBracket { count &+= 1 }
            guard byte == ASCII.quote else {
                offset &+= 1
                continue
            }
            guard let end = try? grammar.endOfString(from: offset).offset else { break }
            offset = end
        }
        return count > maximum
    }
}
