/// The layout of a picker's screen: a line to type in, a status line, and the list below; a preview on the right if there is
/// room.
package struct PickerLayout: Equatable, Sendable {
    /// The number of columns below which there is no preview.
    static let previewedColumns = 100

    let columns: Int
    let rows: Int

    package init(columns: Int, rows: Int) {
        self.columns = columns
        self.rows = rows
    }

    /// The number of rows above the list.
    static let headRows = 2

    var listRows: Int { max(0, rows - Self.headRows) }
    var hasPreview: Bool { columns >= Self.previewedColumns && rows > Self.headRows }
    var listColumns: Int { hasPreview ? (columns - 1) / 2 : columns }
    /// The columns of the preview, to the right of the dividing line.
    var previewColumns: Int { hasPreview ? columns - listColumns - 1 : 0 }
    /// The number of rows for lines of the file, below its name.
    var previewRows: Int { hasPreview ? listRows : 0 }
}
