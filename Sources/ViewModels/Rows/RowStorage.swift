/// The rows of a list in memory. An edit takes the same time at any place, in proportion to what it inserts and removes.
///
/// One array would be moved by half for each row that is inserted in the middle: a million rows in some milliseconds.
package struct RowStorage<Element: Sendable>: Sendable {
    /// Each piece has at most so many rows.
    private static var pieceCount: Int { 512 }

    /// None is empty.
    private var pieces: [[Element]] = []
    /// The lengths of the pieces. To find a place all are added up, and in each piece's own memory that would be a wait
    /// for each.
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

    /// The rows of a range that isn't beyond the end.
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
    /// - Returns: the rows that went, to be released with no lock held.
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
        // Left to itself an array doubles, and so would the memory of the list.
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

    /// Pieces of the same length, each with room for some rows more in this piece.
    private static func cut(_ rows: [Element]) -> [[Element]] {
        guard rows.count > pieceCount else { return rows.isEmpty ? [] : [rows] }
        let length = pieceCount * 3 / 4
        return stride(from: 0, to: rows.count, by: length).map { Array(rows[$0..<min($0 + length, rows.count)]) }
    }
}
