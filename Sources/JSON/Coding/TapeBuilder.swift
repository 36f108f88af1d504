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
            let byte = text[offset]
            if byte == ASCII.quote {
                let end = ValidatedText.endOfString(text, from: offset)
                entries.append(Entry(start: offset, extent: end.offset &- offset, hasEscapes: end.hasEscapes))
                offset = end.offset
            } else if byte <= ASCII.comma || byte == ASCII.colon {
                // White space too, and nothing else is below a comma.
                offset &+= 1
            } else if byte | 0x20 == ASCII.openBrace {
                depth += 1
                guard depth <= CodingLimits.depth else {
                    throw JSONCodingError(path: path, reason: "nested deeper than \(CodingLimits.depth)")
                }
                entries.append(Entry(start: offset, extent: open))
                open = entries.count - 1
                if byte == ASCII.openBrace { entries.append(Entry(start: entries.count + 1, extent: 0)) }
                offset &+= 1
            } else if byte | 0x20 == ASCII.closeBrace {
                depth -= 1
                let parent = entries[open].length
                entries[open].length = entries.count
                open = parent
                offset &+= 1
            } else {
                let end = ValidatedText.endOfScalar(text, from: offset)
                entries.append(Entry(start: offset, extent: end &- offset))
                offset = end
            }
        }
    }
}
