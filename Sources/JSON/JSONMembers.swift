/// The members of an object, one after the other in the order of the text, duplicates included.
@usableFromInline
struct JSONMembers {
    private let text: JSONGrammar
    private var offset: Int

    /// None where `object` is no object.
    @usableFromInline
    init(_ object: JSONValue) {
        text = JSONGrammar(object.text, maximumDepth: 0)
        offset = text[0] == ASCII.openBrace ? 1 : text.count
    }

    @usableFromInline
    mutating func next() -> (key: JSONKey, value: JSONValue)? {
        var start = text.endOfWhitespace(from: offset)
        if text[start] == ASCII.comma { start = text.endOfWhitespace(from: start &+ 1) }
        guard text[start] == ASCII.quote else { return nil }
        let (nameEnd, hasEscapes) = ValidatedText.endOfString(text, from: start)
        let name = text.bytes.part(from: start &+ 1, to: max(start &+ 1, nameEnd &- 1))
        // Behind the colon.
        let valueStart = text.endOfWhitespace(from: text.endOfWhitespace(from: nameEnd) &+ 1)
        guard valueStart < text.count else { return nil }
        offset = ValidatedText.endOfValue(text, from: valueStart)
        let value = JSONValue(validated: text.bytes.part(from: valueStart, to: offset))
        return (JSONKey(JSONStringText(contents: name, hasEscapes: hasEscapes)), value)
    }
}
