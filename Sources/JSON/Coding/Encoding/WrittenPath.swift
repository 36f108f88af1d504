/// The path to the end of a text that was written in part.
enum WrittenPath {
    private enum Container {
        case object(key: String?)
        case array(index: Int)
    }

    /// The steps to the value that would come next.
    ///
    /// - Parameter text: the text so far.
    static func keys(in text: UnsafeRawBufferPointer) -> [any CodingKey] {
        var open: [Container] = []
        var offset = 0
        while offset < text.count {
            switch text[offset] {
            case ASCII.openBrace: open.append(.object(key: nil))
            case ASCII.openBracket: open.append(.array(index: 0))
            case ASCII.closeBrace, ASCII.closeBracket: _ = open.popLast()
            case ASCII.comma: passComma(&open)
            case ASCII.quote:
                let end = ValidatedText.endOfString(JSONGrammar(text, maximumDepth: 0), from: offset)
                if case .object(key: nil)? = open.last {
                    let contents = text[(offset + 1)..<max(offset + 1, end.offset - 1)]
                    let key = JSONStringText(
                        contents: UnsafeRawBufferPointer(rebasing: contents), hasEscapes: end.hasEscapes)
                    open[open.count - 1] = .object(key: key.string())
                }
                offset = end.offset
                continue
            default: break
            }
            offset += 1
        }
        // The comma before the next element isn't there yet.
        if let last = text.last, ASCII.endsValue(last) { passComma(&open) }
        return open.compactMap(key)
    }

    private static func passComma(_ open: inout [Container]) {
        switch open.last {
        case .object: open[open.count - 1] = .object(key: nil)
        case .array(let index): open[open.count - 1] = .array(index: index + 1)
        case nil: break
        }
    }

    private static func key(_ container: Container) -> (any CodingKey)? {
        switch container {
        case .object(let key): key.map(PathKey.member)
        case .array(let index): PathKey.index(index)
        }
    }
}
