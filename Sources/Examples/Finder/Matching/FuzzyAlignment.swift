/// Finds the best way in which a term's characters are in a path, in this order.
///
/// That is fzf's second algorithm, a Smith-Waterman alignment: a table with a row for each character of the term and a
/// column for each of the path. A cell has the score of the best way to match the term up to its row in the path up to
/// its column. A table has 100,000 cells at most; where it would be larger, the last way in the path is taken for the
/// best, and scored.
struct FuzzyAlignment: Sendable {
    private static let maximumCells = 100_000

    fileprivate struct Cell {
        /// The score of the best way that ends here, or before: then the gap is taken off.
        var score: Int16 = 0
        /// How many characters in a row match, up to this one; 0 where it isn't matched.
        var run: Int16 = 0
    }

    /// As many as the largest table had so far, filled anew for each path.
    private var cells: [Cell] = []
    /// Where each character of the term is found first.
    private var firsts: [Int] = []

    /// The best score; nil where the path doesn't have the term's characters in this order.
    ///
    /// - Parameter indexes: what matched is appended, last one first.
    mutating func align(_ term: FuzzyTerm, with text: [FuzzyCharacter], indexes: inout [Int]) -> Int? {
        let wanted = term.characters
        guard let last = findFirsts(term, in: text), let first = firsts.first else { return nil }
        if wanted.count == 1 { return alignOne(wanted[0], text, term.isCaseSensitive, last: last, indexes: &indexes) }
        guard wanted.count <= 1000, text.count * wanted.count <= Self.maximumCells else {
            return alignLast(wanted, with: text, isCaseSensitive: term.isCaseSensitive, indexes: &indexes)
        }
        let missing = (last - first + 1) * wanted.count - cells.count
        if missing > 0 { cells.append(contentsOf: repeatElement(Cell(), count: missing)) }
        // Without looking at the bounds of four arrays, a table takes half the time.
        return text.withUnsafeBufferPointer { text in
            wanted.withUnsafeBufferPointer { wanted in
                firsts.withUnsafeBufferPointer { firsts in
                    cells.withUnsafeMutableBufferPointer { cells in
                        let table = FuzzyTable(
                            text: text, wanted: wanted, isCaseSensitive: term.isCaseSensitive,
                            columns: first..<last + 1,
                            firsts: firsts, cells: cells)
                        let best = table.fill()
                        table.traceBack(from: best.column, indexes: &indexes)
                        return Int(best.score)
                    }
                }
            }
        }
    }

    /// Fills `firsts`, and says where the term's last character is found last.
    private mutating func findFirsts(_ term: FuzzyTerm, in text: [FuzzyCharacter]) -> Int? {
        let wanted = term.characters
        firsts.removeAll(keepingCapacity: true)
        var row = 0
        for (index, character) in text.enumerated() where character.matches(wanted[row], term.isCaseSensitive) {
            firsts.append(index)
            row += 1
            if row == wanted.count { break }
        }
        guard row == wanted.count, let first = firsts.last else { return nil }
        var last = text.count - 1
        while last > first, !text[last].matches(wanted[row - 1], term.isCaseSensitive) { last -= 1 }
        return last
    }

    /// A term of a single character has no gaps: the last of the best places.
    private func alignOne(
        _ wanted: UInt32, _ text: [FuzzyCharacter], _ isCaseSensitive: Bool, last: Int, indexes: inout [Int]
    ) -> Int {
        var best = last
        for index in stride(from: last, through: firsts[0], by: -1)
        where text[index].matches(wanted, isCaseSensitive)
            && text[index].bonus > text[best].bonus
        {
            best = index
        }
        indexes.append(best)
        return Int(FuzzyScore.match + text[best].bonus * FuzzyScore.firstCharacterFactor)
    }

    /// For long paths: the last way in which the characters are in the path.
    private func alignLast(
        _ wanted: [UInt32], with text: [FuzzyCharacter], isCaseSensitive: Bool, indexes: inout [Int]
    ) -> Int {
        func matches(_ index: Int, _ row: Int) -> Bool {
            text[index].matches(wanted[row], isCaseSensitive)
        }
        // From the end to where it begins; from there on again, for the shortest way.
        var row = wanted.count
        var begin = text.count
        while row > 0, begin > 0 {
            begin -= 1
            if matches(begin, row - 1) { row -= 1 }
        }
        var found: [Int] = []
        for index in begin..<text.count where found.count < wanted.count && matches(index, found.count) {
            found.append(index)
        }
        indexes.append(contentsOf: found.reversed())
        let end = (found.last ?? begin) + 1
        return Self.score(of: text[begin..<end]) { index, count in count < wanted.count && matches(index, count) }
    }

    /// The score of characters in a row, or of those that `matches` has, told an index and how many matched before.
    static func score(
        of text: ArraySlice<FuzzyCharacter>, matches: (_ index: Int, _ count: Int) -> Bool = { _, _ in true }
    ) -> Int {
        var (score, count) = (0, 0)
        // Of the first one of the characters in a row.
        var bonusOfRun: Int16?
        var isGap = false
        for index in text.indices {
            guard matches(index, count) else {
                score += Int(isGap ? FuzzyScore.gapExtension : FuzzyScore.gapStart)
                (isGap, bonusOfRun) = (true, nil)
                continue
            }
            var bonus = text[index].bonus
            if let first = bonusOfRun {
                if bonus >= FuzzyScore.boundary, bonus > first { bonusOfRun = bonus }
                bonus = max(bonus, bonusOfRun ?? 0, FuzzyScore.consecutive)
            } else {
                bonusOfRun = bonus
            }
            score += Int(FuzzyScore.match + bonus * (count == 0 ? FuzzyScore.firstCharacterFactor : 1))
            isGap = false
            count += 1
        }
        return score
    }
}

/// The table of an alignment. All that it points to outlives it.
private struct FuzzyTable {
    let text: UnsafeBufferPointer<FuzzyCharacter>
    let wanted: UnsafeBufferPointer<UInt32>
    let isCaseSensitive: Bool
    /// From where the term's first character is found first to where its last one is found last.
    let columns: Range<Int>
    /// The column where the character of each row is found first after those before. Cells left of it aren't filled.
    let firsts: UnsafeBufferPointer<Int>
    /// Row by row, at least as many as there are rows and columns.
    let cells: UnsafeMutableBufferPointer<FuzzyAlignment.Cell>

    /// Fills all rows, and says which cell of the last one is the best, the last one of several.
    func fill() -> (score: Int16, column: Int) {
        fillFirst()
        var best = (score: Int16(0), column: columns.upperBound - 1)
        for row in wanted.indices.dropFirst() { best = fill(row) }
        return best
    }

    private func fillFirst() {
        var score: Int16 = 0
        var isGap = false
        for column in columns {
            let character = text[column]
            let matches = character.matches(wanted[0], isCaseSensitive)
            if matches {
                score = FuzzyScore.match + character.bonus * FuzzyScore.firstCharacterFactor
            } else {
                score = max(0, score + (isGap ? FuzzyScore.gapExtension : FuzzyScore.gapStart))
            }
            isGap = !matches
            cells[column - columns.lowerBound] = FuzzyAlignment.Cell(score: score, run: matches ? 1 : 0)
        }
    }

    private func fill(_ row: Int) -> (score: Int16, column: Int) {
        let width = columns.count
        let start = row * width - columns.lowerBound
        let wanted = wanted[row]
        var best = (score: Int16(0), column: columns.upperBound - 1)
        var left: Int16 = 0
        var isGap = false
        for column in firsts[row]..<columns.upperBound {
            let character = text[column]
            let skipped = left + (isGap ? FuzzyScore.gapExtension : FuzzyScore.gapStart)
            var cell = FuzzyAlignment.Cell()
            if character.matches(wanted, isCaseSensitive) {
                let before = cells[start - width + column - 1]
                cell.run = before.run + 1
                var bonus = character.bonus
                if cell.run > 1 {
                    // Characters in a row have the bonus of the first one, unless a better word begins here.
                    let bonusOfRun = text[column - Int(cell.run) + 1].bonus
                    if bonus >= FuzzyScore.boundary && bonus > bonusOfRun {
                        cell.run = 1
                    } else {
                        bonus = max(bonus, FuzzyScore.consecutive, bonusOfRun)
                    }
                }
                cell.score = before.score + FuzzyScore.match + bonus
                if cell.score < skipped {
                    cell.score = before.score + FuzzyScore.match + character.bonus
                    cell.run = 0
                }
            }
            isGap = cell.score < skipped
            cell.score = max(cell.score, skipped, 0)
            cells[start + column] = cell
            left = cell.score
            if cell.score >= best.score { best = (cell.score, column) }
        }
        return best
    }

    /// Appends the columns in which the characters of the best way are, the last character's first.
    func traceBack(from end: Int, indexes: inout [Int]) {
        let width = columns.count
        var (row, column) = (wanted.count - 1, end)
        // Of ways that are equally good, the one with characters in a row.
        var prefersMatch = true
        while column >= columns.lowerBound {
            let index = row * width + column - columns.lowerBound
            let cell = cells[index]
            let diagonal = row > 0 && column >= firsts[row] ? cells[index - width - 1].score : 0
            let left = column > firsts[row] ? cells[index - 1].score : 0
            let isRun =
                row + 1 < wanted.count && column + 1 < columns.upperBound && column + 1 >= firsts[row + 1]
                && cells[index + width + 1].run > 0
            if cell.score > diagonal, cell.score > left || cell.score == left && prefersMatch {
                indexes.append(column)
                if row == 0 { return }
                row -= 1
            }
            prefersMatch = cell.run > 1 || isRun
            column -= 1
        }
    }
}
