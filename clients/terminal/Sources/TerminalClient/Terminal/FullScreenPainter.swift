/// The content of a whole terminal: a line for each row, none longer than the terminal has columns.
package struct ScreenFrame: Equatable {
    package let lines: [String]
    /// The column of the cursor in the first line, from 0.
    package let cursorColumn: Int

    package init(lines: [String], cursorColumn: Int) {
        self.lines = lines
        self.cursorColumn = cursorColumn
    }
}

/// Makes the bytes that show frames on a terminal's alternate screen, and bring back what was there before.
package struct FullScreenPainter {
    /// The lines on the screen; nil if unknown.
    private var shown: [String]?

    package init() {}

    /// Returns the bytes that switch to the alternate screen. `end()` brings back the screen from before.
    package mutating func begin() -> String {
        shown = nil
        return "\u{1B}[?1049h"
    }

    package func end() -> String { "\u{1B}[?25h\u{1B}[?1049l" }

    /// Notes that the content of the screen is unknown: the terminal has another size, or was cleared.
    package mutating func forget() {
        shown = nil
    }

    /// Returns the bytes that draw a frame: only the lines that have changed.
    package mutating func draw(_ frame: ScreenFrame) -> String {
        var text = "\u{1B}[?25l"
        if shown?.count != frame.lines.count {
            text += "\u{1B}[H\u{1B}[2J"
            shown = nil
        }
        for (row, line) in frame.lines.enumerated() where shown?[row] ?? "" != line {
            // The row is erased first, since terminals differ in what they erase when the cursor is after the last column.
            text += "\u{1B}[\(row + 1);1H\u{1B}[K" + line
        }
        shown = frame.lines
        return text + "\u{1B}[1;\(frame.cursorColumn + 1)H\u{1B}[?25h"
    }
}
