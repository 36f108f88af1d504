/// The path to the end of a text that was written in part.
enum WrittenPath {
    /// Returns the steps to the value that would come next.
    ///
    /// - Parameter text: the text that was written so far.
    static func keys(in text: UnsafeRawBufferPointer) -> [any CodingKey] {
        // For each open container, the step to the value in it; nil in an object before a member's name.
        var steps: [PathKey?] = []
        var offset = 0
        while offset < text.count {
            switch text[offset] {
            case ASCII.openBrace: steps.append(nil)
            case ASCII.openBracket: steps.append(.index(0))
            case ASCII.closeBrace, ASCII.closeBracket: _ = steps.popLast()
            case ASCII.comma: passComma(&steps)
            case ASCII.quote:
                guard let end = try? JSONGrammar(text, maximumDepth: 0).endOfString(from: offset) else { return [] }
                if case .some(nil) = steps.last {
                    let name = text.part(from: offset + 1, to: end.offset - 1)
                    let key = JSONStringText(contents: name, hasEscapes: end.hasEscapes).string()
                    steps[steps.count - 1] = .member(key)
                }
                offset = end.offset
                continue
            default: break
            }
            offset += 1
        }
        // Writers place a comma only with the next element, so the last one is missing in the text.
        if let last = text.last, ASCII.endsValue(last) { passComma(&steps) }
        return steps.compactMap { $0 }
    }

    private static func passComma(_ steps: inout [PathKey?]) {
        guard let step = steps.popLast() else { return }
        if case .index(let index) = step { steps.append(.index(index + 1)) } else { steps.append(nil) }
    }
}
