/// The rows of a list in memory. The time of an edit hardly depends on its place: it grows with what the edit inserts and
/// removes, and little with the number of pieces.
///
/// In a single array, each row that is inserted in the middle would move half of the others: with a million rows, for some
/// milliseconds.
package struct RowStorage<Element: Sendable>: Sendable {
    /// The most rows that a piece has.
    private static var pieceCount: Int { 512 }

    /// The rows, cut into pieces, none of which is empty.
    private var pieces: [[Element]] = []
    /// The lengths of the pieces, in an array of their own: finding a place adds them up, without a look into the memory of
    /// each piece.
    private var lengths: [Int] = []
    package private(set) var count = 0

    package init(_ rows: [Element]) {
        pieces = Self.cut(rows)
        lengths = pieces.map(\.count)
        count = rows.count
    }

    package subscript(index: Int) -> Element? {
        guard (0..<count).contains(index) else { return nil }
        let place = place(of: index)
        return pieces[place.piece][place.index]
    }

    /// Returns the rows of a range that isn't beyond the end.
    package func rows(in range: Range<Int>) -> [Element] {
        guard !range.isEmpty else { return [] }
        var rows: [Element] = []
        rows.reserveCapacity(range.count)
        var (piece, index) = place(of: range.lowerBound)
        while rows.count < range.count {
            let end = min(pieces[piece].count, index + range.count - rows.count)
            rows.append(contentsOf: pieces[piece][index..<end])
            (piece, index) = (piece + 1, 0)
        }
        return rows
    }

    package var all: [Element] { rows(in: 0..<count) }

    /// Puts rows in the place of a range that isn't beyond the end.
    ///
    /// - Returns: the removed rows, to be released with no lock held.
    package mutating func replace(_ range: Range<Int>, with rows: [Element]) -> [Element] {
        let removed = self.rows(in: range)
        guard let last = pieces.indices.last else {
            self = RowStorage(rows)
            return removed
        }
        let start = range.lowerBound == count ? (piece: last, index: pieces[last].count) : place(of: range.lowerBound)
        let end = range.isEmpty ? start : place(of: range.upperBound - 1)
        let endIndex = range.isEmpty ? start.index : end.index + 1
        count += rows.count - range.count
        let length = start.index + rows.count + pieces[end.piece].count - endIndex
        if start.piece == end.piece, (1...Self.pieceCount).contains(length) {
            changePiece(start.piece, start.index..<endIndex, rows)
        } else {
            let around = pieces[start.piece][..<start.index] + rows + pieces[end.piece][endIndex...]
            let cut = Self.cut(Array(around))
            pieces.replaceSubrange(start.piece...end.piece, with: cut)
            lengths.replaceSubrange(start.piece...end.piece, with: cut.lazy.map(\.count))
        }
        return removed
    }

    private mutating func changePiece(_ piece: Int, _ range: Range<Int>, _ rows: [Element]) {
        let length = pieces[piece].count - range.count + rows.count
        // An array that grows by itself doubles its memory, and so would the list.
        if length > pieces[piece].capacity { pieces[piece].reserveCapacity(length + length / 16) }
        pieces[piece].replaceSubrange(range, with: rows)
        lengths[piece] = length
    }

    private func place(of index: Int) -> (piece: Int, index: Int) {
        var (piece, rest) = (0, index)
        while rest >= lengths[piece] {
            rest -= lengths[piece]
            piece += 1
        }
        return (piece, rest)
    }

    /// Cuts rows into pieces of the same length, each with room for more rows before it is cut again.
    private static func cut(_ rows: [Element]) -> [[Element]] {
        guard rows.count > pieceCount else { return rows.isEmpty ? [] : [rows] }
        let length = pieceCount * 3 / 4
        return stride(from: 0, to: rows.count, by: length).map { Array(rows[$0..<min($0 + length, rows.count)]) }
    }
}
