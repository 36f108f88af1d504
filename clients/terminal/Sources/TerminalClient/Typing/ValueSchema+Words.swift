import Contracts

extension ValueSchema {
    /// The expected form in words for a sentence: "an integer", "true or false", "one of left, right".
    var words: String {
        // Null means that the member is left out, so it isn't offered.
        let forms = alternatives.filter { $0.types != ["null"] }
        let choices = choices.filter { $0 != .null }
        if choices.count > 1, forms.allSatisfy({ !$0.choices.isEmpty }) {
            return "one of " + choices.map(\.shortText).joined(separator: ", ")
        }
        var parts: [String] = []
        for form in forms {
            for part in form.ownWords where !parts.contains(part) { parts.append(part) }
        }
        return parts.isEmpty ? "null" : parts.joined(separator: " or ")
    }

    /// The expected form as a placeholder: INTEGER, TEXT, true|false.
    var placeholder: String {
        let choices = choices
        if !choices.isEmpty { return choices.map(\.shortText).joined(separator: "|") }
        var parts: [String] = []
        for alternative in alternatives {
            for name in alternative.types ?? ["JSON"] where name != "null" {
                let part = Self.placeholders[name] ?? "JSON"
                if !parts.contains(part) { parts.append(part) }
            }
        }
        return parts.isEmpty ? "null" : parts.joined(separator: "|")
    }

    private var ownWords: [String] {
        if let value = schema["const"] { return [value.shortText] }
        if let format = schema["format"]?.string, isOf("string"), let words = Self.formats[format] { return [words] }
        return types?.compactMap { Self.names[$0] } ?? ["any JSON"]
    }

    private static let names = [
        "integer": "an integer", "number": "a number", "boolean": "true or false", "string": "text",
        "array": "a list in brackets", "object": "an object in braces",
    ]

    private static let placeholders = [
        "integer": "INTEGER", "number": "NUMBER", "boolean": "true|false", "string": "TEXT", "array": "[…]",
        "object": "{…}",
    ]

    private static let formats = [
        "date-time": "a date such as 2026-01-31T09:30:00Z", "uuid": "a UUID", "uri": "a URL",
    ]
}

extension JSONTree {
    /// The value as a person types it: a string that can't be mistaken for another value needs no quotes.
    var shortText: String {
        guard case .string(let text) = self else { return line }
        return TypedWord.needsQuotes(text) ? line : text
    }
}

extension TypedWord {
    static func needsQuotes(_ text: String) -> Bool {
        guard let first = text.first, !"\"'[{".contains(first), !text.contains("=") else { return true }
        return text.contains { $0.isWhitespace } || ["true", "false", "null"].contains(text)
            || text.unicodeScalars.contains { $0.value < 0x20 }
    }
}
