/// One edit of a list: at one index, some rows were removed and others were inserted. An update is one of each.
///
/// Edits are in order. Each index counts in the list as the edits before it have left it.
public struct RowsEdit: Hashable, Sendable {
    /// The index, from 0, of the first row that was removed or inserted.
    public var at: Int
    /// How many rows were removed.
    public var removed: Int
    /// How many rows were inserted.
    public var inserted: Int

    /// An edit of these numbers of rows.
    public init(at: Int, removed: Int, inserted: Int) {
        self.at = at
        self.removed = removed
        self.inserted = inserted
    }
}

/// The edits of a list since its Views were told last. Pure.
package struct RowsEdits: Equatable, Sendable {
    /// The most edits that are told. Of more, Views are told that any row may be another.
    package static let maximumCount = 256

    /// The edits, in order; nil when any row may be another.
    package private(set) var edits: [RowsEdit]? = []

    package init() {}

    package var isEmpty: Bool { edits?.isEmpty ?? false }

    /// Notes that any row may be another.
    package mutating func reset() {
        edits = nil
    }

    /// Adds an edit, and joins it to the one before where they touch.
    package mutating func append(_ edit: RowsEdit) {
        guard let count = edits?.count, edit.removed > 0 || edit.inserted > 0 else { return }
        if let joined = edits?.last?.joined(with: edit) {
            // Rows that were inserted and removed again leave no edit.
            if joined.removed + joined.inserted > 0 { edits?[count - 1] = joined } else { edits?.removeLast() }
        } else if count < Self.maximumCount {
            edits?.append(edit)
        } else {
            reset()
        }
    }

    package mutating func append(_ others: RowsEdits) {
        guard let edits = others.edits else { return reset() }
        for edit in edits { append(edit) }
    }

    /// Whether a row below `end`, counted after all edits, may be another than before, or stand elsewhere.
    package func touchesRows(below end: Int) -> Bool {
        edits?.contains { $0.at < end } ?? true
    }
}

extension RowsEdit {
    /// Returns one edit that does what this edit and then another do; nil where they don't touch.
    fileprivate func joined(with next: RowsEdit) -> RowsEdit? {
        guard next.at <= at + inserted, next.at + next.removed >= at else { return nil }
        // The rows that the next edit takes away: those before this edit, those that came with it, and those after it.
        let before = max(0, at - next.at)
        let common = min(next.removed - before, inserted - max(0, next.at - at))
        let first = min(at, next.at)
        return RowsEdit(
            at: first, removed: removed + next.removed - common, inserted: inserted + next.inserted - common)
    }
}

extension RowsEdits {
    /// Finds the edits that turn `old` into `new`. As many rows as can stay do: those with one identity that stand in the same
    /// order in both.
    ///
    /// Takes time in proportion to n log n.
    ///
    /// - Parameter isSame: whether a row that stays has the same content. Otherwise the edits update it.
    package init<Row, ID: Hashable>(
        from old: [Row], to new: [Row], id: (Row) -> ID, isSame: (Row, Row) -> Bool
    ) {
        var start = 0
        while start < min(old.count, new.count), id(old[start]) == id(new[start]) { start += 1 }
        var end = 0
        while end < min(old.count, new.count) - start,
            id(old[old.count - 1 - end]) == id(new[new.count - 1 - end])
        { end += 1 }
        var place = (old: 0, new: 0)
        for index in 0..<start { keep((index, index), after: &place, isSame(old[index], new[index])) }
        // Of rows with the same identity, which there shouldn't be, the last may stay.
        let places = Dictionary(
            (start..<old.count - end).map { (id(old[$0]), $0) }, uniquingKeysWith: { $1 })
        let common = (start..<new.count - end).compactMap { index in
            places[id(new[index])].map { (old: $0, new: index) }
        }
        for pair in Self.longestRising(common) { keep(pair, after: &place, isSame(old[pair.old], new[pair.new])) }
        for index in 0..<end {
            let pair = (old: old.count - end + index, new: new.count - end + index)
            keep(pair, after: &place, isSame(old[pair.old], new[pair.new]))
        }
        append(RowsEdit(at: place.new, removed: old.count - place.old, inserted: new.count - place.new))
    }

    /// Notes a row that stays. The rows between it and the last one that stayed were removed or inserted.
    private mutating func keep(
        _ pair: (old: Int, new: Int), after place: inout (old: Int, new: Int), _ isSame: Bool
    ) {
        append(RowsEdit(at: place.new, removed: pair.old - place.old, inserted: pair.new - place.new))
        if !isSame { append(RowsEdit(at: pair.new, removed: 1, inserted: 1)) }
        place = (pair.old + 1, pair.new + 1)
    }

    /// Returns the longest sequence of pairs whose old places rise. The new places of `pairs` rise already.
    private static func longestRising(_ pairs: [(old: Int, new: Int)]) -> [(old: Int, new: Int)] {
        /// For each length, the index of the pair that ends a sequence of that length with the lowest old place.
        var ends: [Int] = []
        var previous = [Int?](repeating: nil, count: pairs.count)
        for (index, pair) in pairs.enumerated() {
            var (lower, upper) = (0, ends.count)
            while lower < upper {
                let middle = (lower + upper) / 2
                if pairs[ends[middle]].old < pair.old { lower = middle + 1 } else { upper = middle }
            }
            previous[index] = lower > 0 ? ends[lower - 1] : nil
            if lower == ends.count { ends.append(index) } else { ends[lower] = index }
        }
        var rising: [(old: Int, new: Int)] = []
        var next = ends.last
        while let index = next {
            rising.append(pairs[index])
            next = previous[index]
        }
        return rising.reversed()
    }
}
