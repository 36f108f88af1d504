public import ViewModels

/// A change of a list, from `RemoteList.changes`.
public struct RemoteListChange<Row: Sendable>: Sendable {
    /// The rows after the change.
    public let rows: RemoteRows<Row>
    /// The edits, in order. Nil if any row may be another. Empty if the list itself hasn't changed: then more of
    /// its rows have come, or `failure` has changed.
    public let edits: [RowsEdit]?
    /// The reason why rows that are shown don't come; nil if they come.
    public let failure: RemoteError?

    package init(rows: RemoteRows<Row>, edits: [RowsEdit]?, failure: RemoteError?) {
        self.rows = rows
        self.edits = edits
        self.failure = failure
    }

    /// This change and then another, as one.
    package func followed(by next: RemoteListChange) -> RemoteListChange {
        var all = RowsEdits()
        for edits in [edits, next.edits] {
            guard let edits else {
                all.reset()
                continue
            }
            for edit in edits { all.append(edit) }
        }
        return RemoteListChange(rows: next.rows, edits: all.edits, failure: next.failure)
    }
}

extension RemoteListChange: Equatable where Row: Equatable {}
