/// The number of columns that text takes up on a terminal.
package enum DisplayWidth {
    package static func of(_ text: String) -> Int {
        text.reduce(0) { $0 + of($1) }
    }

    /// Returns the width of a character: 0, 1 or 2 columns. It is that of the first scalar that has a width; the variation
    /// selector for emoji (U+FE0F) makes a character wide.
    package static func of(_ character: Character) -> Int {
        let scalars = character.unicodeScalars
        if scalars.contains("\u{FE0F}") { return 2 }
        return scalars.lazy.map(of).first { $0 > 0 } ?? 0
    }

    private static func of(_ scalar: Unicode.Scalar) -> Int {
        if scalar.value < 0x300 { return scalar.value < 0x20 || (0x7F..<0xA0).contains(scalar.value) ? 0 : 1 }
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format, .control: return 0
        default: return isWide(scalar) ? 2 : 1
        }
    }

    /// Whether a scalar is an East Asian wide or full-width character (UAX #11), or an emoji.
    private static func isWide(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xA000...0xA4CF,
            0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF01...0xFF60, 0xFFE0...0xFFE6,
            0x17000...0x18AFF, 0x1B000...0x1B2FF, 0x1F200...0x1F2FF, 0x20000...0x2FFFD, 0x30000...0x3FFFD:
            true
        default: scalar.properties.isEmojiPresentation
        }
    }

    /// Returns the longest beginning of `text` that fits into `columns`.
    static func prefix(of text: String, columns: Int) -> String {
        var room = columns
        return String(
            text.prefix { character in
                room -= of(character)
                return room >= 0
            })
    }

    /// Returns the longest end of `text` that fits into `columns`.
    static func suffix(of text: String, columns: Int) -> String {
        var room = columns
        let count = text.reversed().prefix { character in
            room -= of(character)
            return room >= 0
        }.count
        return String(text.suffix(count))
    }

    /// Returns `text`, cut to fit into `columns` if need be, with "…" at the cut.
    package static func cut(_ text: String, columns: Int) -> String {
        of(text) <= columns ? text : prefix(of: text, columns: max(0, columns - 1)) + "…"
    }
}
