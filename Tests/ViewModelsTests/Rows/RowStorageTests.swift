import TestSupport
import Testing
import ViewModels

@Suite(.inTurn) struct RowStorageTests {
    @Test func `it has the rows of an array with the same edits`() {
        for seed in 0..<60 {
            var random = SeededGenerator(seed: seed)
            var array = Array(0..<Int.random(in: 0...3_000, using: &random))
            var storage = RowStorage(array)
            for step in 0..<60 {
                let at = Int.random(in: 0...array.count, using: &random)
                let range =
                    at..<at + Int.random(in: 0...min(array.count - at, step % 9 == 0 ? 2_000 : 3), using: &random)
                let rows = (0..<Int.random(in: 0...(step % 7 == 0 ? 2_000 : 3), using: &random)).map { -$0 }
                let removed = storage.replace(range, with: rows)
                #expect(removed == Array(array[range]), "seed \(seed)")
                array.replaceSubrange(range, with: rows)
                #expect(storage.count == array.count, "seed \(seed)")
                let some = Int.random(in: 0...array.count, using: &random)
                let window = some..<min(array.count, some + 700)
                #expect(storage.rows(in: window) == Array(array[window]), "seed \(seed)")
                #expect(storage[some] == (some < array.count ? array[some] : nil), "seed \(seed)")
            }
            #expect(storage.all == array, "seed \(seed)")
        }
    }

    @Test func `no index is too far`() {
        let storage = RowStorage([1, 2])
        #expect(storage[-1] == nil && storage[2] == nil && storage[.max] == nil && storage[.min] == nil)
    }

    @Test func `a list that becomes empty can be filled again`() {
        var storage = RowStorage(Array(0..<2_000))
        _ = storage.replace(0..<2_000, with: [])
        #expect(storage.all.isEmpty)
        _ = storage.replace(0..<0, with: [7])
        #expect(storage.all == [7])
    }
}
