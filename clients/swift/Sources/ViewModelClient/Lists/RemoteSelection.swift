import ViewModels

/// The selected row of a list, known by its identity while the list changes. A View holds it as a value:
///
/// ```swift
/// for await change in list.changes {
///     selection.follow(change)
///     show(change.rows, selected: selection.index)
/// }
/// ```
///
/// A row that is removed and inserted again is still selected.
public struct RemoteSelection<Row: Identifiable & Sendable>: Sendable where Row.ID: Sendable {
    /// The identity of the selected row; nil if none is selected.
    public private(set) var id: Row.ID?
    /// The index of the selected row. Nil if none is selected, or its index isn't known, as for a row that
    /// was removed.
    public private(set) var index: Int?

    /// Makes a selection without a row.
    public init() {}

    /// Selects a row by its identity.
    ///
    /// - Parameters:
    ///   - id: the identity of the row; nil for none. The row needn't have been fetched: `index` is nil then.
    ///   - rows: the list's rows now.
    public mutating func select(_ id: Row.ID?, in rows: RemoteRows<Row>) {
        self.id = id
        index = nil
        find(in: rows)
    }

    /// Brings `index` up to date after a change.
    ///
    /// - Parameter change: each change of the list must be followed, in order.
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
        // A row that wasn't fetched is where the edits say.
        if let index, rows[index].map({ $0.id == id }) ?? true { return }
        index = rows.firstIndexHere { $0.id == id }
    }
}

extension RowsEdit {
    /// Returns the index after the edit of the row that was at `index`; nil if it was removed.
    fileprivate func index(after index: Int) -> Int? {
        if index < at { return index }
        return index - at < removed ? nil : index - removed + inserted
    }
}
