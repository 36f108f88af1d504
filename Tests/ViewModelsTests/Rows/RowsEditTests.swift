import TestSupport
import Testing
import ViewModels

@Suite(.inTurn) struct RowsEditTests {
    private struct Row: Equatable {
        var id: Int
        var text = ""
    }

    /// Applies edits as a View does that knows no row which came.
    private func applied(_ edits: RowsEdits, to rows: [Int]) -> [Int?]? {
        guard let edits = edits.edits else { return nil }
        var rows: [Int?] = rows
        for edit in edits {
            rows.replaceSubrange(edit.at..<edit.at + edit.removed, with: [Int?](repeating: nil, count: edit.inserted))
        }
        return rows
    }

    // With its type: finding it in a macro's argument takes the compiler two seconds.
    private static let sequences: [([(Int, Int, Int)], [RowsEdit])] = [
        ([(0, 0, 1), (1, 0, 1), (2, 0, 1)], [RowsEdit(at: 0, removed: 0, inserted: 3)]),
        ([(9, 1, 0), (8, 1, 0), (7, 1, 0)], [RowsEdit(at: 7, removed: 3, inserted: 0)]),
        ([(4, 1, 1), (4, 1, 1)], [RowsEdit(at: 4, removed: 1, inserted: 1)]),
        ([(4, 0, 1), (4, 1, 0)], [RowsEdit(at: 4, removed: 0, inserted: 0)]),
        (
            [(4, 0, 1), (9, 1, 0)],
            [RowsEdit(at: 4, removed: 0, inserted: 1), RowsEdit(at: 9, removed: 1, inserted: 0)]
        ),
        ([(4, 0, 2), (3, 4, 1)], [RowsEdit(at: 3, removed: 2, inserted: 1)]),
        ([(0, 0, 0)], []),
    ]

    @Test(arguments: sequences)
    func `edits that touch are joined`(given: [(Int, Int, Int)], joined: [RowsEdit]) {
        var edits = RowsEdits()
        for (at, removed, inserted) in given {
            edits.append(RowsEdit(at: at, removed: removed, inserted: inserted))
        }
        #expect(edits.edits == joined.filter { $0.removed + $0.inserted > 0 })
    }

    @Test func `too many edits are a list of which any row may be another`() {
        var edits = RowsEdits()
        for number in 0..<RowsEdits.maximumCount { edits.append(RowsEdit(at: number * 2, removed: 0, inserted: 1)) }
        #expect(edits.edits?.count == RowsEdits.maximumCount)
        edits.append(RowsEdit(at: 100_000, removed: 1, inserted: 0))
        #expect(edits.edits == nil)
        edits.append(RowsEdit(at: 0, removed: 1, inserted: 0))
        #expect(edits.edits == nil)
        #expect(!edits.isEmpty)
    }

    @Test func `joined edits make the same list as the single ones`() {
        for seed in 0..<2_000 {
            var random = SeededGenerator(seed: seed)
            let old = Array(0..<Int.random(in: 0...30, using: &random))
            var (model, edits, next) = (old, RowsEdits(), 1_000)
            for _ in 0..<Int.random(in: 0...12, using: &random) {
                let at = Int.random(in: 0...model.count, using: &random)
                let removed = Int.random(in: 0...min(3, model.count - at), using: &random)
                let rows = (0..<Int.random(in: 0...3, using: &random)).map { next + $0 }
                next += rows.count
                model.replaceSubrange(at..<at + removed, with: rows)
                edits.append(RowsEdit(at: at, removed: removed, inserted: rows.count))
            }
            #expect(applied(edits, to: old) == model.map { $0 < 1_000 ? $0 : nil }, "seed \(seed)")
        }
    }

    @Test func `the edits between two lists keep the rows of equal identity`() {
        for seed in 0..<2_000 {
            var random = SeededGenerator(seed: seed)
            let old = (0..<Int.random(in: 0...20, using: &random)).map { Row(id: $0) }
            var new = old.filter { _ in Int.random(in: 0..<4, using: &random) > 0 }
            for id in 100..<100 + Int.random(in: 0...4, using: &random) {
                new.insert(Row(id: id), at: Int.random(in: 0...new.count, using: &random))
            }
            for index in new.indices where Int.random(in: 0..<5, using: &random) == 0 { new[index].text = "new" }
            let edits = RowsEdits(from: old, to: new, id: \.id, isSame: ==)
            let seen = applied(edits, to: old.map(\.id))
            // What is untouched has the identity and the content of the model's row.
            #expect(seen?.count == new.count, "seed \(seed)")
            for (seen, row) in zip(seen ?? [], new) where seen != nil {
                #expect(seen == row.id && row.text.isEmpty, "seed \(seed)")
            }
            // As no row changed its place, each old one that is there and the same is kept.
            let kept = new.filter { $0.id < 100 && $0.text.isEmpty }.count
            #expect(seen?.compactMap(\.self).count == kept, "seed \(seed)")
        }
    }

    @Test func `a row that moved is told as one that went and one that came`() {
        let old = [1, 2, 3, 4].map { Row(id: $0) }
        let edits = RowsEdits(from: old, to: [1, 3, 4, 2].map { Row(id: $0) }, id: \.id, isSame: ==)
        #expect(edits.edits == [RowsEdit(at: 1, removed: 1, inserted: 0), RowsEdit(at: 3, removed: 0, inserted: 1)])
        #expect(RowsEdits(from: old, to: old, id: \.id, isSame: ==).isEmpty)
    }

    @Test func `rows of the same identity are taken as they are`() {
        let edits = RowsEdits(
            from: [1, 1, 1, 2].map { Row(id: $0) }, to: [2, 1, 1].map { Row(id: $0) }, id: \.id, isSame: ==)
        let count = edits.edits?.reduce(4) { $0 + $1.inserted - $1.removed }
        #expect(count == 3)
    }
}
