/// Passes over text that was validated before: looks at brackets and quotes only, and still never beyond the end.
enum ValidatedText {
    /// The place behind the value that starts at `start`.
    @inline(__always)
    static func endOfValue(_ text: JSONGrammar, from start: Int) -> Int {
        let byte = text[start]
        if byte == ASCII.quote { return endOfString(text, from: start).offset }
        return byte | 0x20 == ASCII.openBrace
            ? endOfContainer(text, from: start) : endOfScalar(text, from: start)
    }

    /// The place behind the closing quote of the string that starts at `start`.
    @inline(__always)
    static func endOfString(_ text: JSONGrammar, from start: Int) -> (offset: Int, hasEscapes: Bool) {
        let end = text.first(from: start &+ 1, ByteScan.stringMask)
        return text[end] == ASCII.quote ? (end &+ 1, false) : (endOfEscapedString(text, from: end), true)
    }

    /// From the first backslash on.
    @inline(never)
    private static func endOfEscapedString(_ text: JSONGrammar, from start: Int) -> Int {
        var offset = start
        while offset < text.count, text[offset] != ASCII.quote {
            offset = text.first(from: min(offset &+ 2, text.count), ByteScan.stringMask)
        }
        return min(offset &+ 1, text.count)
    }

    /// The place behind the number or literal that starts at `start`.
    @inline(__always)
    static func endOfScalar(_ text: JSONGrammar, from start: Int) -> Int {
        var offset = start
        while true {
            let byte = text[offset]
            // The end is 0, and nothing else in a scalar but '+' comes before a comma.
            if byte <= ASCII.comma && byte != ASCII.plus || byte | 0x20 == ASCII.closeBrace { return offset }
            offset &+= 1
        }
    }

    private static func endOfContainer(_ text: JSONGrammar, from start: Int) -> Int {
        var offset = start
        var depth = 0
        while offset < text.count {
            let byte = text[offset]
            if byte == ASCII.quote {
                offset = endOfString(text, from: offset).offset
                continue
            }
            offset &+= 1
            if byte | 0x20 == ASCII.openBrace {
                depth &+= 1
            } else if byte | 0x20 == ASCII.closeBrace {
                depth &-= 1
                if depth == 0 { break }
            }
        }
        return offset
    }
}
