extension JSONWriter {
    /// Writes a value that was read, without the white space in it and otherwise as it stands.
    package mutating func compact(_ value: JSONValue) {
        let text = value.text
        guard let first = text.first else { return }
        if Self.beginsValue(first) { beginValue() }
        let grammar = JSONGrammar(text, maximumDepth: 0)
        var start = 0
        var offset = 0
        while offset < text.count {
            switch text[offset] {
            case ASCII.quote:
                offset = ValidatedText.endOfString(grammar, from: offset).offset
            case ASCII.space, ASCII.newline, ASCII.carriageReturn, ASCII.tab:
                append(UnsafeRawBufferPointer(rebasing: text[start..<offset]))
                offset &+= 1
                start = offset
            default:
                offset &+= 1
            }
        }
        append(UnsafeRawBufferPointer(rebasing: text[start...]))
    }
}
