import TestSupport
import Testing
import ViewModelClient
import ViewModels

/// A selected row keeps its identity.
@Suite(.inTurn) struct RemoteSelectionTests {
    private struct Row: Identifiable, Sendable, Equatable {
        let id: Int
    }

    private func change(_ edits: [RowsEdit]?, count: Int, _ ids: [Int], from first: Int = 0) -> RemoteListChange<Row> {
        var rows = RemoteRows<Row>(count: count)
        rows.fill(first, ids.map { Row(id: $0) })
        return RemoteListChange(rows: rows, edits: edits, failure: nil)
    }

    @Test func `it goes with its row, and finds it again`() {
        var selection = RemoteSelection<Row>()
        selection.follow(change(nil, count: 3, [0, 1, 2]))
        #expect(selection.id == nil && selection.index == nil)
        selection.select(1, in: change(nil, count: 3, [0, 1, 2]).rows)
        #expect(selection.index == 1)
        selection.follow(change([RowsEdit(at: 0, removed: 0, inserted: 5)], count: 8, []))
        #expect(selection.index == 6, "it isn't here, and stands where the edits say")
        selection.follow(change([RowsEdit(at: 7, removed: 1, inserted: 0)], count: 7, []))
        #expect(selection.index == 6)
        selection.follow(change([RowsEdit(at: 4, removed: 2, inserted: 2)], count: 7, []))
        #expect(selection.index == 6, "those that went stood right before it")
        selection.follow(change([RowsEdit(at: 6, removed: 1, inserted: 1)], count: 7, []))
        #expect(selection.id == 1 && selection.index == nil, "nobody knows whether it is still the same")
        selection.follow(change([], count: 7, [7, 8, 1], from: 4))
        #expect(selection.index == 6)
        selection.follow(change(nil, count: 9, [5, 1]))
        #expect(selection.index == 1)
        selection.follow(change(nil, count: 9, []))
        #expect(selection.id == 1 && selection.index == nil)
        selection.select(nil, in: change(nil, count: 9, []).rows)
        selection.follow(change(nil, count: 9, [5, 1]))
        #expect(selection.id == nil && selection.index == nil)
    }

    @Test func `changes that nobody took are one`() {
        let first = change([RowsEdit(at: 0, removed: 1, inserted: 0)], count: 2, [1])
        let joined = first.followed(by: change([RowsEdit(at: 2, removed: 0, inserted: 1)], count: 3, [2]))
        #expect(joined.edits == [RowsEdit(at: 0, removed: 1, inserted: 0), RowsEdit(at: 2, removed: 0, inserted: 1)])
        #expect(joined.rows.count == 3 && joined.rows[0] == Row(id: 2))
        #expect(joined.followed(by: change(nil, count: 1, [])).followed(by: first).edits == nil)
        #expect(change([], count: 1, []).followed(by: change([], count: 1, [])).edits == [])
    }
}
