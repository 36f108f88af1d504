/// What a whole terminal shows: as many lines as that has rows, none longer than it has columns.
package struct ScreenFrame: Equatable {
    package let lines: [String]
    /// In the first line.
    package let cursorColumn: Int

    package init(lines: [String], cursorColumn: Int) {
        self.lines = lines
        self.cursorColumn = cursorColumn
    }
}

/// The bytes that show frames on a whole terminal, on its alternate screen, and bring back what was there before.
package struct FullScreenPainter {
    /// The lines on the screen; nil where nobody knows what is there.
    private var shown: [String]?

    package init() {}

    /// Keeps the screen before for `end()`.
    package mutating func begin() -> String {
        shown = nil
        return "\u{1B}[?1049h"
    }

    package func end() -> String { "\u{1B}[?25h\u{1B}[?1049l" }

    /// The terminal has another size, or was cleared.
    package mutating func forget() {
        shown = nil
    }

    /// Only what has changed.
    package mutating func draw(_ frame: ScreenFrame) -> String {
        var text = "\u{1B}[?25l"
        if shown?.count != frame.lines.count {
            text += "\u{1B}[H\u{1B}[2J"
            shown = nil
        }
        for (row, line) in frame.lines.enumerated() where shown?[row] ?? "" != line {
            // The row is erased first: behind its last column, terminals differ in what they would erase.
            text += "\u{1B}[\(row + 1);1H\u{1B}[K" + line
        }
        shown = frame.lines
        return text + "\u{1B}[1;\(frame.cursorColumn + 1)H\u{1B}[?25h"
    }
}
