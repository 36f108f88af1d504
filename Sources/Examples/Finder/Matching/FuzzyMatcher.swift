/// Matches paths, one after the other, with a pattern. It keeps the memory that this takes.
struct FuzzyMatcher: Sendable {
    let pattern: FuzzyPattern
    /// The path that is matched next.
    var text = FuzzyText()
    private var alignment = FuzzyAlignment()
    /// What matched last: indexes of characters.
    private var indexes: [Int] = []
    private let needs: CharacterSet64

    init(_ pattern: FuzzyPattern) {
        self.pattern = pattern
        needs = pattern.groups.reduce(CharacterSet64()) { needs, group in
            guard group.count == 1, !group[0].isInverse else { return needs }
            return needs.union(group[0].needs)
        }
    }

    /// False where a path with these characters can't match.
    func mayMatch(_ characters: CharacterSet64) -> Bool { characters.isSuperset(of: needs) }

    /// How well `text` matches; nil where it doesn't.
    mutating func match() -> FuzzyRank? {
        indexes.removeAll(keepingCapacity: true)
        var score = 0
        for group in pattern.groups {
            guard let part = match(group) else { return nil }
            score += part
        }
        return rank(score: score)
    }

    /// Where `match` found its characters last: UTF-8 offsets in the path as it is shown, in order.
    func positions() -> [Int] {
        text.offsets(of: Set(indexes).sorted())
    }

    /// The score of the first term that matches.
    private mutating func match(_ group: [FuzzyTerm]) -> Int? {
        var matchesWithout = false
        for term in group {
            let count = indexes.count
            let score = match(term)
            if term.isInverse {
                indexes.removeLast(indexes.count - count)
                if score == nil { matchesWithout = true }
            } else if let score {
                return score
            }
        }
        return matchesWithout ? 0 : nil
    }

    /// Appends to `indexes` what matched.
    private mutating func match(_ term: FuzzyTerm) -> Int? {
        let place: Range<Int>?
        switch term.kind {
        case .fuzzy: return alignment.align(term, with: text.characters, indexes: &indexes)
        case .exact: place = text.best(of: term)
        case .word: place = text.lastWord(term)
        case .prefix: place = text.ends(for: term).flatMap { text.place(of: term, at: $0.lowerBound) }
        case .suffix: place = text.ends(for: term).flatMap { text.place(of: term, at: $0.upperBound - term.count) }
        case .whole:
            place = text.ends(for: term).flatMap {
                $0.count == term.count ? text.place(of: term, at: $0.lowerBound) : nil
            }
        }
        guard let place else { return nil }
        indexes.append(contentsOf: place)
        switch term.kind {
        // As if each character began a word, whatever they are.
        case .whole: return Self.fullScore(of: term)
        case .word: return Self.fullScore(of: term) + text.bonus(ofWord: place)
        default: return FuzzyAlignment.score(of: text.characters[place])
        }
    }

    private static func fullScore(of term: FuzzyTerm) -> Int {
        let each = Int(FuzzyScore.match + FuzzyScore.boundary)
        return each * term.count + Int(FuzzyScore.boundary * (FuzzyScore.firstCharacterFactor - 1))
    }

    private func rank(score: Int) -> FuzzyRank {
        guard pattern.hasScores else { return FuzzyRank(score: 0, distance: .max, length: 0) }
        let slash = text.lastSlash ?? -1
        let begin = indexes.min() ?? -1
        return FuzzyRank(
            score: score, distance: !indexes.isEmpty && slash <= begin ? begin - slash : .max,
            length: text.trimmed.count)
    }
}

extension FuzzyTerm {
    fileprivate var count: Int { characters.count }
}

extension FuzzyText {
    /// Where a term with `^` or `$` may begin and end. Blanks at the ends of a path don't count, unless the term has
    /// them, too.
    fileprivate func ends(for term: FuzzyTerm) -> Range<Int>? {
        let trimmed = trimmed
        let beginsBlank = term.characters.first.map { FuzzyCharacter($0).kind == .white } ?? false
        let endsBlank = term.characters.last.map { FuzzyCharacter($0).kind == .white } ?? false
        let first = beginsBlank ? 0 : trimmed.lowerBound
        let end = endsBlank ? characters.count : trimmed.upperBound
        return first <= end ? first..<end : nil
    }

    /// The place that begins at an index, if the term is there.
    fileprivate func place(of term: FuzzyTerm, at start: Int) -> Range<Int>? {
        guard start >= 0, characters.count - start >= term.count else { return nil }
        for (index, wanted) in term.characters.enumerated()
        where !characters[start + index].matches(wanted, term.isCaseSensitive) {
            return nil
        }
        return start..<start + term.count
    }

    /// The last place where the term is a word, or several.
    fileprivate func lastWord(_ term: FuzzyTerm) -> Range<Int>? {
        for start in stride(from: characters.count - term.count, through: 0, by: -1) {
            guard start == 0 || characters[start - 1].kind.endsWord else { continue }
            let end = start + term.count
            guard end == characters.count || characters[end].kind.endsWord else { continue }
            if let place = place(of: term, at: start) { return place }
        }
        return nil
    }

    /// What the boundaries of a word are worth: an underscore is less of one than others.
    fileprivate func bonus(ofWord place: Range<Int>) -> Int {
        let underscore = UInt32(ascii: "_")
        let start = place.lowerBound
        let bonus = Int(start == 0 ? FuzzyScore.boundary : characters[start].bonus)
        let excess = bonus - Int(FuzzyScore.boundary) + 1
        let isBefore = start > 0 && characters[start - 1].scalar == underscore
        let isAfter = place.upperBound < characters.count && characters[place.upperBound].scalar == underscore
        return bonus - (isBefore ? excess + 1 : 0) - (isAfter ? (isBefore ? 1 : excess) : 0)
    }

    /// The last place where a word begins with the term, or else the best and last one of all.
    fileprivate func best(of term: FuzzyTerm) -> Range<Int>? {
        var best: (place: Range<Int>, bonus: Int16)?
        for start in stride(from: characters.count - term.count, through: 0, by: -1) {
            guard let place = place(of: term, at: start) else { continue }
            let bonus = characters[start].bonus
            if bonus >= FuzzyScore.boundary { return place }
            if best.map({ bonus > $0.bonus }) ?? true { best = (place, bonus) }
        }
        return best?.place
    }
}
