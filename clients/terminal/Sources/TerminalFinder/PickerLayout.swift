/// The parts of a picker's screen: a line to type in, one that says how much was found, and the list below; a preview
/// on the right where there is room for one.
package struct PickerLayout: Equatable, Sendable {
    /// A narrower screen has no preview.
    static let previewedColumns = 100

    let columns: Int
    let rows: Int

    package init(columns: Int, rows: Int) {
        self.columns = columns
        self.rows = rows
    }

    /// Above the list.
    static let headRows = 2

    var listRows: Int { max(0, rows - Self.headRows) }
    var hasPreview: Bool { columns >= Self.previewedColumns && rows > Self.headRows }
    var listColumns: Int { hasPreview ? (columns - 1) / 2 : columns }
    /// Right of the line between it and the list.
    var previewColumns: Int { hasPreview ? columns - listColumns - 1 : 0 }
    /// Rows for lines of the file, below its name.
    var previewRows: Int { hasPreview ? listRows : 0 }
}
