/// A line that is being typed, with its cursor, and the effect of keys on it. Needs no terminal.
///
/// The texts before and after the cursor are separate strings, so that an accent that comes as a scalar of its own joins the
/// letter before the cursor.
package struct LineEditor: Equatable {
    package private(set) var left = ""
    package private(set) var right = ""
    /// The text that was cut last, which Ctrl-Y inserts.
    private var cut = ""

    package init() {}

    package var text: String { left + right }
    package var isEmpty: Bool { left.isEmpty && right.isEmpty }

    /// Applies a key. Returns false for a key that doesn't edit.
    package mutating func take(_ key: Key) -> Bool {
        switch key {
        case .text(let text): insert(text)
        case .backspace, .control("h"): _ = left.popLast()
        case .delete: if !right.isEmpty { right.removeFirst() }
        case .left, .control("b"): moveLeft(1)
        case .right, .control("f"): moveRight(1)
        case .home, .control("a"): moveLeft(left.count)
        case .end, .control("e"): moveRight(right.count)
        case .wordLeft, .alt("b"): moveLeft(wordBefore)
        case .wordRight, .alt("f"): moveRight(wordBehind)
        case .control("k"): cutRight(right.count)
        case .control("u"): cutLeft(left.count)
        case .control("w"): cutLeft(blankWordBefore)
        case .alt("\u{7F}"): cutLeft(wordBefore)
        case .alt("d"): cutRight(wordBehind)
        case .control("y"): insert(cut)
        case .control("t"): swap()
        default: return false
        }
        return true
    }

    package mutating func insert(_ text: String) {
        left += Self.printable(text)
    }

    /// Sets the text, with the cursor at its end.
    package mutating func replace(with text: String) {
        left = Self.printable(text)
        right = ""
    }

    /// Replaces the last `count` characters before the cursor.
    mutating func replace(last count: Int, with text: String) {
        _ = takeLeft(count)
        left += text
    }

    /// Returns the text without control characters, which could move the terminal's cursor.
    private static func printable(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else { return text }
        return String(
            String.UnicodeScalarView(text.unicodeScalars.filter { $0.properties.generalCategory != .control }))
    }

    /// Moves the cursor left by `count` characters, or to the start of the line.
    private mutating func moveLeft(_ count: Int) {
        right = takeLeft(count) + right
    }

    private mutating func moveRight(_ count: Int) {
        left += takeRight(count)
    }

    private mutating func cutLeft(_ count: Int) {
        if count > 0 { cut = takeLeft(count) }
    }

    private mutating func cutRight(_ count: Int) {
        if count > 0 { cut = takeRight(count) }
    }

    private mutating func takeLeft(_ count: Int) -> String {
        defer { left = String(left.dropLast(count)) }
        return String(left.suffix(count))
    }

    private mutating func takeRight(_ count: Int) -> String {
        defer { right = String(right.dropFirst(count)) }
        return String(right.prefix(count))
    }

    /// Swaps the two characters around the cursor; at the end of the line, the last two.
    private mutating func swap() {
        if right.isEmpty, left.count > 1 { moveLeft(1) }
        guard let before = left.popLast() else { return }
        guard let behind = right.first else { return left.append(before) }
        right.removeFirst()
        left.append(behind)
        left.append(before)
    }

    private var wordBefore: Int {
        let blanks = left.reversed().prefix { !Self.isInWord($0) }.count
        return blanks + left.reversed().dropFirst(blanks).prefix(while: Self.isInWord).count
    }

    private var wordBehind: Int {
        let blanks = right.prefix { !Self.isInWord($0) }.count
        return blanks + right.dropFirst(blanks).prefix(while: Self.isInWord).count
    }

    /// The number of characters back to the last blank, which Ctrl-W cuts, as in shells.
    private var blankWordBefore: Int {
        let blanks = left.reversed().prefix(while: \.isWhitespace).count
        return blanks + left.reversed().dropFirst(blanks).prefix { !$0.isWhitespace }.count
    }

    private static func isInWord(_ character: Character) -> Bool {
        character.isLetter || character.isNumber
    }
}
