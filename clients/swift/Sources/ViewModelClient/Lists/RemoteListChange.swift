public import ViewModels

/// What has become of a list, from `RemoteList.changes`.
public struct RemoteListChange<Row: Sendable>: Sendable {
    /// The rows as the change has left them.
    public let rows: RemoteRows<Row>
    /// The edits in order; nil when any row may be another. Empty where the list is as it was, and more rows are here,
    /// or `failure` is another.
    public let edits: [RowsEdit]?
    /// The reason why the rows that are shown don't come; nil where they do.
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
