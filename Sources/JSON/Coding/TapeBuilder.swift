/// Makes a tape's entries from validated text. While a container is open its `length` is its parent's entry, so that
/// no stack is needed.
enum TapeBuilder {
    typealias Entry = DecodingTape.Entry

    static func append(
        entriesOf text: UnsafeRawBufferPointer, to entries: TrivialStack<Entry>, at path: JSONPointer
    ) throws(JSONCodingError) {
        guard text.count <= Entry.maximumTextBytes else {
            throw JSONCodingError(path: path, reason: "larger than \(Entry.maximumTextBytes) bytes")
        }
        var open = 0
        var depth = 0
        var offset = 0
        while offset < text.count {
            switch text[offset] {
            case ASCII.quote:
                let end = ValidatedText.endOfString(text, from: offset)
                entries.append(Entry(start: offset, extent: end.offset &- offset, hasEscapes: end.hasEscapes))
                offset = end.offset
            case ASCII.openBrace, ASCII.openBracket:
                depth += 1
                guard depth <= CodingLimits.depth else {
                    throw JSONCodingError(path: path, reason: "nested deeper than \(CodingLimits.depth)")
                }
                let isObject = text[offset] == ASCII.openBrace
                entries.append(Entry(start: offset, extent: open))
                open = entries.count - 1
                if isObject { entries.append(Entry(start: entries.count + 1, extent: 0)) }
                offset &+= 1
            case ASCII.closeBrace, ASCII.closeBracket:
                depth -= 1
                let parent = entries[open].length
                entries[open].length = entries.count
                open = parent
                offset &+= 1
            case ASCII.comma, ASCII.colon, 0...ASCII.space:
                offset &+= 1
            default:
                let end = ValidatedText.endOfScalar(text, from: offset)
                entries.append(Entry(start: offset, extent: end &- offset))
                offset = end
            }
        }
    }
}
