/// A line of a file in which a text was found.
package struct MatchingLine: Sendable, Equatable {
    /// How much of a line is shown, in bytes of the file.
    static let maximumCount = 400
    /// What is shown before the first match of a line that is cut.
    private static let context = 80
    static let maximumMatches = 50

    /// From 1.
    package let number: Int
    /// The line as it is shown, without its line break: of a long one the part with the first match. What isn't UTF-8 is
    /// U+FFFD.
    package let text: String
    /// Whether the line goes on before the text.
    package let isCutBefore: Bool
    /// Whether it goes on after the text.
    package let isCutAfter: Bool
    /// Where matches are, in UTF-8 bytes of `text`, in order: the first 50, as far as they are shown.
    package let matches: [Range<Int>]

    /// - Parameters:
    ///   - line: or a part of one, without its line break.
    ///   - matches: in bytes of the line.
    ///   - beginsLine: whether nothing comes before the part.
    ///   - endsLine: whether nothing comes after the part.
    init(
        number: Int, line: UnsafeBufferPointer<UInt8>, matches: [Range<Int>], beginsLine: Bool = true,
        endsLine: Bool = true
    ) {
        let first = matches.first ?? 0..<0
        var start = first.upperBound <= Self.maximumCount - Self.context ? 0 : max(0, first.lowerBound - Self.context)
        // A cut is between two characters.
        if start > 0 { start = Self.boundary(start, in: line) }
        var end = min(line.count, start + Self.maximumCount)
        if end < line.count { end = max(start, Self.boundary(end - 3, in: line)) }
        let shown = line[start..<end]
        self.number = number
        isCutBefore = start > 0 || !beginsLine
        isCutAfter = end < line.count || !endsLine
        let text = String(decoding: shown, as: UTF8.self)
        self.text = text
        // Valid text has an offset for each of the file's; other text is longer than it is in the file.
        let isValid = text.utf8.elementsEqual(shown)
        self.matches = matches.compactMap { match in
            let (lower, upper) = (max(match.lowerBound, start), min(match.upperBound, end))
            guard lower < upper || match.isEmpty && lower == upper else { return nil }
            if isValid { return Self.widened(lower - start..<upper - start, in: text) }
            let before = String(decoding: line[start..<lower], as: UTF8.self).utf8.count
            let through = String(decoding: line[start..<upper], as: UTF8.self).utf8.count
            return Self.widened(min(before, through, text.utf8.count)..<min(through, text.utf8.count), in: text)
        }
    }

    /// The next index that doesn't divide a character of UTF-8.
    private static func boundary(_ index: Int, in line: UnsafeBufferPointer<UInt8>) -> Int {
        line[index...].prefix(3).firstIndex { $0 & 0xC0 != 0x80 } ?? index
    }

    /// To whole characters of UTF-8.
    private static func widened(_ range: Range<Int>, in text: String) -> Range<Int> {
        let utf8 = text.utf8
        var (lower, upper) = (range.lowerBound, range.upperBound)
        func divides(_ offset: Int) -> Bool {
            offset < utf8.count && utf8[utf8.index(utf8.startIndex, offsetBy: offset)] & 0xC0 == 0x80
        }
        while lower > 0, divides(lower) { lower -= 1 }
        while upper > lower, divides(upper) { upper += 1 }
        return lower..<upper
    }
}
