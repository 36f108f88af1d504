/// The position of a terminal's cursor after a text, relative to the start of the text.
struct CellPosition: Equatable {
    let columns: Int
    private(set) var row = 0
    /// The column, from 0 to `columns`. At `columns` the cursor waits behind the last column until the next character comes.
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
            // A wide character that doesn't fit leaves a column empty.
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

    /// The position of the next character: after a full row, the start of the row below.
    var next: CellPosition {
        column < columns ? self : CellPosition(columns: columns, row: row + 1)
    }
}
