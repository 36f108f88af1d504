/// Members and elements.
extension JSONValue {
    /// Nil when it is not an object or has no such member; of duplicate names the last one counts.
    package func member(_ name: StaticString) -> JSONValue? {
        var found: JSONValue?
        var members = JSONMembers(self)
        while let (key, value) = members.next() {
            if key == name { found = value }
        }
        return found
    }

    /// Calls `body` for each member in the order of the text, duplicates included; for none when it is not an object.
    ///
    /// Inlined, so that a pass for several members costs no call of a closure and no generic error.
    @inlinable
    package func forEachMember<E: Error>(_ body: (JSONKey, JSONValue) throws(E) -> Void) throws(E) {
        var members = JSONMembers(self)
        while let (key, value) = members.next() { try body(key, value) }
    }

    /// Calls `body` for each element; for none when it is not an array.
    package func forEachElement<E: Error>(_ body: (JSONValue) throws(E) -> Void) throws(E) {
        guard kind == .array else { return }
        let text = JSONGrammar(self.text, maximumDepth: 0)
        var offset = text.endOfWhitespace(from: 1)
        while offset < text.count, text[offset] != ASCII.closeBracket {
            let end = ValidatedText.endOfValue(text, from: offset)
            try body(JSONValue(validated: self.text.part(from: offset, to: end)))
            // Behind the comma, if there is one.
            offset = text.endOfWhitespace(from: end)
            if text[offset] == ASCII.comma { offset = text.endOfWhitespace(from: offset &+ 1) }
        }
    }
}

/// A member's name inside validated bytes, valid only while they are.
///
/// Compares with literals as bytes, without making a `String`: `switch key { case "jsonrpc": … }`.
@usableFromInline
package struct JSONKey {
    @usableFromInline let text: JSONStringText

    @inline(__always)
    init(_ text: JSONStringText) {
        self.text = text
    }

    package func string() -> String { text.string() }

    /// Whether both are the same name, however they are escaped.
    package static func == (left: JSONKey, right: JSONKey) -> Bool {
        guard right.text.hasEscapes else { return left.text.isEqual(to: right.text.contents) }
        guard left.text.hasEscapes else { return right.text.isEqual(to: left.text.contents) }
        return left.string().utf8.elementsEqual(right.string().utf8)
    }

    /// Inlined, so that a comparison with several names is mostly one of lengths.
    @inlinable @inline(__always)
    package static func == (key: JSONKey, name: StaticString) -> Bool { key.text.isEqual(to: name) }

    @inlinable @inline(__always)
    package static func ~= (name: StaticString, key: JSONKey) -> Bool { key == name }
}

/// The members of an object, one after the other in the order of the text, duplicates included.
@usableFromInline
struct JSONMembers {
    private let text: JSONGrammar
    private var offset: Int

    /// None where `object` is no object.
    @usableFromInline
    init(_ object: JSONValue) {
        text = JSONGrammar(object.text, maximumDepth: 0)
        offset = text[0] == ASCII.openBrace ? 1 : text.count
    }

    @usableFromInline
    mutating func next() -> (key: JSONKey, value: JSONValue)? {
        var start = text.endOfWhitespace(from: offset)
        if text[start] == ASCII.comma { start = text.endOfWhitespace(from: start &+ 1) }
        guard text[start] == ASCII.quote else { return nil }
        let (nameEnd, hasEscapes) = ValidatedText.endOfString(text, from: start)
        let name = text.bytes.part(from: start &+ 1, to: max(start &+ 1, nameEnd &- 1))
        // Behind the colon.
        let valueStart = text.endOfWhitespace(from: text.endOfWhitespace(from: nameEnd) &+ 1)
        guard valueStart < text.count else { return nil }
        offset = ValidatedText.endOfValue(text, from: valueStart)
        let value = JSONValue(validated: text.bytes.part(from: valueStart, to: offset))
        return (JSONKey(JSONStringText(contents: name, hasEscapes: hasEscapes)), value)
    }
}
