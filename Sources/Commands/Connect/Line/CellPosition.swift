/// Where a terminal's cursor is after it has shown text, counted from where the text began, on a screen of so many columns.
struct CellPosition: Equatable {
    let columns: Int
    private(set) var row = 0
    /// As many as there are columns: behind the last one, where a terminal waits for the next character before it goes on.
    private(set) var column = 0

    init(columns: Int, row: Int = 0) {
        self.columns = max(1, columns)
        self.row = row
    }

    mutating func advance(over text: String) {
        for character in text {
            if character.isNewline {
                row += 1
                column = 0
                continue
            }
            let width = DisplayWidth.of(character)
            // What is wide and doesn't fit any more leaves a column empty.
            if column + width > columns {
                row += 1
                column = 0
            }
            column += width
        }
    }

    func advanced(over text: String) -> CellPosition {
        var position = self
        position.advance(over: text)
        return position
    }

    /// Where the next character comes: behind a full row, at the start of the one below.
    var next: CellPosition {
        column < columns ? self : CellPosition(columns: columns, row: row + 1)
    }
}
