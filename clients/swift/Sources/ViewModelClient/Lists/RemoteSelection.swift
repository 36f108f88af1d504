import ViewModels

/// The selected row of a list, kept by its identity while the list changes. A value that a View holds:
///
/// ```swift
/// for await change in list.changes {
///     selection.follow(change)
///     show(change.rows, selected: selection.index)
/// }
/// ```
///
/// A row that goes and comes back is still selected.
public struct RemoteSelection<Row: Identifiable & Sendable>: Sendable where Row.ID: Sendable {
    /// The identity of the selected row; nil where none is selected.
    public private(set) var id: Row.ID?
    /// The place of the selected row; nil where none is selected, or nobody knows where it is.
    public private(set) var index: Int?

    /// No row is selected.
    public init() {}

    /// Selects a row, wherever it is; nil for none.
    public mutating func select(_ id: Row.ID?, in rows: RemoteRows<Row>) {
        self.id = id
        index = nil
        find(in: rows)
    }

    /// Brings the place up to date. Changes are followed in their order, and none is left out.
    public mutating func follow(_ change: RemoteListChange<Row>) {
        if let edits = change.edits {
            for edit in edits { index = index.flatMap { edit.index(after: $0) } }
        } else {
            index = nil
        }
        find(in: change.rows)
    }

    private mutating func find(in rows: RemoteRows<Row>) {
        guard let id else { return }
        // A row that isn't here stands where the edits say.
        if let index, rows[index].map({ $0.id == id }) ?? true { return }
        index = rows.firstIndexHere { $0.id == id }
    }
}

extension RowsEdit {
    /// Where the row that stood at `index` stands after the edit; nil where it went.
    fileprivate func index(after index: Int) -> Int? {
        if index < at { return index }
        return index - at < removed ? nil : index - removed + inserted
    }
}
