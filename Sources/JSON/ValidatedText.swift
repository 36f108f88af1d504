/// Passes over text that was validated before: looks at brackets and quotes only, and still never beyond the end.
enum ValidatedText {
    /// The place behind the value that starts at `start`.
    @inline(__always)
    static func endOfValue(_ text: UnsafeRawBufferPointer, from start: Int) -> Int {
        switch text[start] {
        case ASCII.quote: endOfString(text, from: start).offset
        case ASCII.openBrace, ASCII.openBracket: endOfContainer(text, from: start)
        default: endOfScalar(text, from: start)
        }
    }

    /// The place behind the closing quote of the string that starts at `start`.
    @inline(__always)
    static func endOfString(_ text: UnsafeRawBufferPointer, from start: Int) -> (offset: Int, hasEscapes: Bool) {
        let end = ByteScan.first(text, from: start &+ 1, ByteScan.stringMask)
        if end < text.count, text[end] == ASCII.quote { return (end &+ 1, false) }
        return (endOfEscapedString(text, from: end), true)
    }

    /// From the first backslash on.
    @inline(never)
    private static func endOfEscapedString(_ text: UnsafeRawBufferPointer, from start: Int) -> Int {
        var offset = start
        while true {
            offset = ByteScan.first(text, from: offset, ByteScan.stringMask)
            guard offset < text.count else { return text.count }
            if text[offset] == ASCII.quote { return offset &+ 1 }
            offset = min(offset &+ 2, text.count)
        }
    }

    /// The place behind the number or literal that starts at `start`.
    @inline(__always)
    static func endOfScalar(_ text: UnsafeRawBufferPointer, from start: Int) -> Int {
        var offset = start
        while offset < text.count {
            let byte = text[offset]
            if byte == ASCII.comma || byte <= ASCII.space || byte | 0x20 == ASCII.closeBrace { break }
            offset &+= 1
        }
        return offset
    }

    private static func endOfContainer(_ text: UnsafeRawBufferPointer, from start: Int) -> Int {
        var offset = start
        var depth = 0
        while offset < text.count {
            switch text[offset] {
            case ASCII.quote:
                offset = endOfString(text, from: offset).offset
                continue
            case ASCII.openBrace, ASCII.openBracket: depth &+= 1
            case ASCII.closeBrace, ASCII.closeBracket:
                depth &-= 1
                if depth == 0 { return offset &+ 1 }
            default: break
            }
            offset &+= 1
        }
        return offset
    }
}
