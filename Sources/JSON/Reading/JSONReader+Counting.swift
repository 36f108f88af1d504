/// A bound on the number of values, held before anything is made of them.
extension JSONReader {
    /// Whether a text has more than `maximum` members of objects and elements of arrays, as far as it is JSON.
    ///
    /// Counts commas and opening brackets: in one pass over all bytes, where strings may have some too, and only when these
    /// are too many in a second one, which stops at the one too many.
    package static func hasValues(_ text: UnsafeRawBufferPointer, moreThan maximum: Int) -> Bool {
        bytesThatSeparate(in: text) > maximum && values(in: JSONGrammar(text, maximumDepth: 0), upTo: maximum) > maximum
    }

    /// In a loop without a branch, which the compiler makes of vectors.
    private static func bytesThatSeparate(in text: UnsafeRawBufferPointer) -> Int {
        var count = 0
        for byte in text {
            count &+= byte == ASCII.comma || byte | 0x20 == ASCII.openBrace ? 1 : 0
        }
        return count
    }

    private static func values(in text: JSONGrammar, upTo maximum: Int) -> Int {
        var (count, offset) = (0, 0)
        while offset < text.count, count <= maximum {
            let byte = text[offset]
            if byte == ASCII.quote {
                offset = ValidatedText.endOfString(text, from: offset).offset
                continue
            }
            if byte == ASCII.comma || byte | 0x20 == ASCII.openBrace { count &+= 1 }
            offset &+= 1
        }
        return count
    }
}
