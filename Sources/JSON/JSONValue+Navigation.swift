extension JSONValue {
    /// Nil when it is not an object or has no such member; of duplicate names the last one counts.
    package func member(_ name: StaticString) -> JSONValue? {
        var found: JSONValue?
        forEachMember { key, value in
            if key == name { found = value }
        }
        return found
    }

    /// Calls `body` for each member in the order of the text, duplicates included; for none when it is not an object.
    package func forEachMember<E: Error>(_ body: (JSONKey, JSONValue) throws(E) -> Void) throws(E) {
        guard kind == .object else { return }
        var offset = 1
        while let start = startOfItem(from: offset) {
            let (nameEnd, hasEscapes) = ValidatedText.endOfString(text, from: start)
            let contents = text.part(from: start &+ 1, to: max(start &+ 1, nameEnd &- 1))
            guard let valueStart = startOfItem(from: nameEnd) else { return }
            offset = ValidatedText.endOfValue(text, from: valueStart)
            let value = JSONValue(validated: text.part(from: valueStart, to: offset))
            try body(JSONKey(JSONStringText(contents: contents, hasEscapes: hasEscapes)), value)
        }
    }

    /// Calls `body` for each element; for none when it is not an array.
    package func forEachElement<E: Error>(_ body: (JSONValue) throws(E) -> Void) throws(E) {
        guard kind == .array else { return }
        var offset = 1
        while let start = startOfItem(from: offset) {
            offset = ValidatedText.endOfValue(text, from: start)
            try body(JSONValue(validated: text.part(from: start, to: offset)))
        }
    }

    /// Passes white space, commas and colons, which validated text has only where they belong. Nil at the closing
    /// bracket.
    private func startOfItem(from start: Int) -> Int? {
        var offset = start
        while offset < text.count {
            switch text[offset] {
            case ASCII.comma, ASCII.colon, ASCII.space, ASCII.newline, ASCII.carriageReturn, ASCII.tab: offset &+= 1
            case ASCII.closeBrace, ASCII.closeBracket: return nil
            default: return offset
            }
        }
        return nil
    }
}
