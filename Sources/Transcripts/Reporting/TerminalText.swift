/// Text for a terminal.
package enum TerminalText {
    /// Escapes characters that would move the cursor, change colours or reverse the direction of writing.
    package static func visible(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isHidden) else { return text }
        var result = ""
        for scalar in text.unicodeScalars {
            if isHidden(scalar) {
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// Cuts a text to `width` characters, and marks each cut with an ellipsis.
    ///
    /// - Parameter start: the index of the character to begin with; nil for the first.
    static func cut(_ text: String, to width: Int, from start: Int? = nil) -> String {
        var text = text[...]
        var lead = ""
        if let start, start > 0 {
            text = text.dropFirst(start + 1)
            lead = "…"
        }
        let room = max(1, width - lead.count)
        guard text.count > room else { return lead + text }
        return lead + text.prefix(room - 1) + "…"
    }

    static func padded(_ text: String, to width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }

    private static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F..<0xA0, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069, 0xFEFF: true
        default: false
        }
    }
}
