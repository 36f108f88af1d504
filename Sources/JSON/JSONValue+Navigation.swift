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
