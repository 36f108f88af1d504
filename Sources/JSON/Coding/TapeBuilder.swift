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

    /// False where the text is nested too deep.
    private static func build(_ text: JSONGrammar, _ entries: TrivialStack<Entry>) -> Bool {
        var run = entries.openEnd()
        defer { entries.close(run) }
        var (open, depth, offset) = (0, 0, 0)
        var isInObject = false
        while offset < text.count {
            if isInObject { offset = append(keyAt: offset, ofObject: open, of: text, to: &run) }
            offset = text.endOfWhitespace(from: offset)
            let byte = text[offset]
            if byte == ASCII.quote {
                let (end, hasEscapes) = ValidatedText.endOfString(text, from: offset)
                run.append(Entry(start: offset, extent: end &- offset, hasEscapes: hasEscapes))
                offset = end
            } else if byte | 0x20 == ASCII.openBrace {
                guard depth < text.maximumDepth else { return false }
                run.append(Entry(start: offset, extent: open))
                open = run.count &- 1
                depth &+= 1
                isInObject = byte == ASCII.openBrace
                if isInObject { run.append(Entry(seenKeys: 0)) }
                offset = text.endOfWhitespace(from: offset &+ 1)
                // Each closing bracket is its opening one plus two.
                if text[offset] != byte &+ 2 { continue }
            } else {
                let end = ValidatedText.endOfScalar(text, from: offset)
                run.append(Entry(start: offset, extent: end &- offset))
                offset = end
            }
            // Behind a value: what closes containers, up to the next value.
            while depth > 0 {
                offset = text.endOfWhitespace(from: offset)
                let isMore = text[offset] == ASCII.comma
                offset &+= 1
                if isMore { break }
                let parent = run[open].length
                run[open].length = run.count
                if isInObject { run[open &+ 1] = Entry(start: open &+ 2, extent: 0) }
                depth &-= 1
                open = parent
                isInObject = depth > 0 && text[run[open].offset] == ASCII.openBrace
            }
            if depth == 0 { break }
        }
        return true
    }

    /// Returns the place behind the colon.
    @inline(__always)
    private static func append(
        keyAt start: Int, ofObject object: Int, of text: JSONGrammar, to run: inout TrivialStack<Entry>.OpenEnd
    ) -> Int {
        let start = text.endOfWhitespace(from: start)
        let (end, hasEscapes) = ValidatedText.endOfString(text, from: start)
        run.append(Entry(start: start, extent: end &- start, hasEscapes: hasEscapes))
        // Sixty-four bits remember which keys were seen, by length and ends.
        let hash = Int(text[start &+ 1]) &* 31 &+ Int(text[end &- 2]) &* 7 &+ (end &- start)
        let bit: UInt64 = 1 &<< UInt64(truncatingIfNeeded: hash)
        let seen = run[object &+ 1].seenKeys
        if seen & bit != 0 || hasEscapes { lookForDuplicate(inObject: object, of: text, run) }
        run[object &+ 1].seenKeys = seen | bit
        return text.endOfWhitespace(from: end) &+ 1
    }

    /// Compares the last key with the few before it. Where they are many, or have escapes, whoever reads the object does it.
    @inline(never)
    private static func lookForDuplicate(
        inObject object: Int, of text: JSONGrammar, _ entries: TrivialStack<Entry>.OpenEnd
    ) {
        let key = entries.count - 1
        guard key - object <= 64, !entries[key].hasEscapes else { return entries[object].mayHaveDuplicates = true }
        var other = object + 2
        while other < key {
            if entries[other].length == entries[key].length, text.isEqual(entries[other], entries[key]) {
                entries[object].mayHaveDuplicates = true
            }
            let value = entries[other + 1]
            other = text[value.offset] | 0x20 == ASCII.openBrace ? value.length : other + 2
        }
    }
}

extension JSONGrammar {
    fileprivate func isEqual(_ left: DecodingTape.Entry, _ right: DecodingTape.Entry) -> Bool {
        ByteScan.isEqual(
            bytes.part(from: left.offset, to: left.offset + left.length),
            bytes.part(from: right.offset, to: right.offset + right.length))
    }
}
