/// Makes a tape's entries from validated text, in one pass and without a stack: while a container is open its `length`
/// is its parent's entry.
enum TapeBuilder {
    typealias Entry = DecodingTape.Entry

    static func append(
        entriesOf text: UnsafeRawBufferPointer, to entries: TrivialStack<Entry>, at path: JSONPointer
    ) throws(JSONCodingError) {
        guard text.count <= Entry.maximumTextBytes else {
            throw JSONCodingError(path: path, reason: "larger than \(Entry.maximumTextBytes) bytes")
        }
        guard build(JSONGrammar(text, maximumDepth: CodingLimits.depth), entries) else {
            throw JSONCodingError(path: path, reason: "nested deeper than \(CodingLimits.depth)")
        }
    }

    /// The two opening brackets differ in one bit.
    @inline(__always)
    private static func opensContainer(_ byte: UInt8) -> Bool { byte | 0x20 == ASCII.openBrace }

    /// False where the text is nested too deep.
    private static func build(_ text: JSONGrammar, _ entries: TrivialStack<Entry>) -> Bool {
        var (open, depth, offset) = (0, 0, 0)
        var isInObject = false
        while offset < text.count {
            if isInObject { offset = append(keyAt: offset, of: text, to: entries) }
            offset = text.endOfWhitespace(from: offset)
            let byte = text[offset]
            if byte == ASCII.quote {
                let (end, hasEscapes) = ValidatedText.endOfString(text, from: offset)
                entries.append(Entry(start: offset, extent: end &- offset, hasEscapes: hasEscapes))
                offset = end
            } else if opensContainer(byte) {
                guard depth < text.maximumDepth else { return false }
                entries.append(Entry(start: offset, extent: open))
                open = entries.count &- 1
                depth &+= 1
                isInObject = byte == ASCII.openBrace
                if isInObject { entries.append(Entry(start: entries.count &+ 1, extent: 0)) }
                offset = text.endOfWhitespace(from: offset &+ 1)
                // Each closing bracket is its opening one plus two.
                if text[offset] != byte &+ 2 { continue }
            } else {
                let end = ValidatedText.endOfScalar(text, from: offset)
                entries.append(Entry(start: offset, extent: end &- offset))
                offset = end
            }
            // Behind a value: brackets that close containers, up to the next value.
            while depth > 0 {
                offset = text.endOfWhitespace(from: offset)
                let isMore = text[offset] == ASCII.comma
                offset &+= 1
                if isMore { break }
                let parent = entries[open].length
                entries[open].length = entries.count
                depth &-= 1
                open = parent
                isInObject = depth > 0 && text[entries[open].offset] == ASCII.openBrace
            }
            if depth == 0 { break }
        }
        return true
    }

    /// Returns the place behind the colon.
    @inline(__always)
    private static func append(keyAt start: Int, of text: JSONGrammar, to entries: TrivialStack<Entry>) -> Int {
        let start = text.endOfWhitespace(from: start)
        let (end, hasEscapes) = ValidatedText.endOfString(text, from: start)
        entries.append(Entry(start: start, extent: end &- start, hasEscapes: hasEscapes))
        return text.endOfWhitespace(from: end) &+ 1
    }
}
