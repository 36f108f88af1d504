import TestSupport
import Testing
import ViewModelClient
import ViewModels

/// The value in which a list keeps the rows that are here.
@Suite(.inTurn) struct RemoteRowsTests {
    /// Ten rows, of which those at 2, 3, 4 and 7 are here.
    private var some: RemoteRows<String> {
        var rows = RemoteRows<String>(count: 10)
        rows.fill(2, ["c", "d", "e"])
        rows.fill(7, ["h"])
        return rows
    }

    private func text(_ rows: RemoteRows<String>) -> String { rows.map { $0 ?? "-" }.joined() }

    @Test func `it has an element for each row, nil for one that isn't here`() {
        #expect(text(some) == "--cde--h--")
        #expect(some.count == 10 && some.indices == 0..<10)
        #expect([-1, 10, .max, .min].allSatisfy { some[$0] == nil }, "an index of no row is no error")
        #expect(some.firstIndexHere { $0 == "h" } == 7 && some.firstIndexHere { $0 == "x" } == nil)
        #expect(some == some && some != RemoteRows(count: 10))
    }

    @Test func `a gap is from the first to the last row that isn't here`() {
        #expect(some.gap(in: 0..<10) == 0..<10)
        #expect(some.gap(in: 2..<5) == nil)
        #expect(some.gap(in: 3..<8) == 5..<7)
        #expect(some.gap(in: 4..<100) == 5..<10)
        #expect(some.gap(in: 1..<2) == 1..<2)
        #expect(some.gap(in: 20..<30) == nil && some.gap(in: 4..<4) == nil)
    }

    @Test(arguments: [
        (RowsEdit(at: 0, removed: 1, inserted: 0), "-cde--h--"),
        (RowsEdit(at: 3, removed: 0, inserted: 2), "--c--de--h--"),
        (RowsEdit(at: 3, removed: 1, inserted: 1), "--c-e--h--"),
        (RowsEdit(at: 4, removed: 4, inserted: 0), "--cd--"),
        (RowsEdit(at: 5, removed: 2, inserted: 0), "--cdeh--"),
        (RowsEdit(at: 10, removed: 0, inserted: 1), "--cde--h---"),
        (RowsEdit(at: 0, removed: 10, inserted: 1), "-"),
    ]) func `an edit moves the rows behind it`(edit: RowsEdit, expected: String) {
        var rows = some
        #expect(rows.count(after: [edit]) == expected.count)
        rows.apply([edit])
        #expect(text(rows) == expected)
    }

    @Test(arguments: [
        RowsEdit(at: -1, removed: 0, inserted: 0), RowsEdit(at: 11, removed: 0, inserted: 1),
        RowsEdit(at: 0, removed: 11, inserted: 0), RowsEdit(at: 9, removed: 2, inserted: 0),
        RowsEdit(at: 0, removed: -1, inserted: 0), RowsEdit(at: 0, removed: 0, inserted: -1),
        RowsEdit(at: .max, removed: .max, inserted: 0), RowsEdit(at: 0, removed: 0, inserted: .max),
    ]) func `edits that don't fit the list have no count`(edit: RowsEdit) {
        #expect(some.count(after: [edit]) == nil)
        #expect(some.count(after: [RowsEdit(at: 0, removed: 1, inserted: 1), edit]) == nil)
    }

    @Test func `rows beyond the end are left out, and others take the place of those that were here`() {
        var rows = some
        rows.fill(9, ["j", "k"])
        rows.fill(10, ["k"])
        rows.fill(-1, ["z"])
        rows.fill(.max, ["z"])
        rows.fill(4, ["E", nil, "G", "H", "I"])
        #expect(text(rows) == "--cdE-GHIj")
        #expect(rows.gap(in: 2..<10) == nil, "one that isn't what it should be isn't asked for again")
    }

    @Test func `rows far from a range are let go`() {
        var rows = RemoteRows<Int>(count: 5_000)
        for first in stride(from: 0, to: 5_000, by: 500) { rows.fill(first, Array(first..<first + 500)) }
        #expect(rows.gap(in: 0..<5_000) == nil)
        rows.keepNear(2_000..<2_100, bound: 5_000)
        #expect(rows.gap(in: 0..<5_000) == nil)
        rows.keepNear(2_000..<2_100, bound: 1_100)
        #expect(rows.filter { $0 != nil }.count == 1_100)
        #expect(rows.gap(in: 1_500..<2_600) == nil && rows[1_499] == nil && rows[2_600] == nil)
        rows.keepNear(9_000..<9_100, bound: 100)
        #expect(rows.allSatisfy { $0 == nil })
    }
}
