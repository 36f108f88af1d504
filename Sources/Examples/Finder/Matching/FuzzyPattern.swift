/// What a user typed to find paths, in the search syntax of fzf.
///
/// Terms are separated by blanks, and a path must match each of them, in any order:
///
/// | term | matches paths that |
/// |---|---|
/// | `term` | have its characters in this order, perhaps with others between them |
/// | `'term` | contain it |
/// | `'term'` | contain it between the boundaries of words |
/// | `^term` | begin with it |
/// | `term$` | end with it |
/// | `^term$` | are it |
/// | `!term` | don't contain it; so `!^term`, `!term$`, and `!'term` for characters in this order |
/// | `term \| other` | match one of these |
///
/// A backslash before a blank makes it part of the term. Case matters to a term with an upper-case letter in it.
package struct FuzzyPattern: Sendable, Equatable {
    /// One term of each group must match.
    let groups: [[FuzzyTerm]]

    /// Any text is a pattern. What has no meaning yet, such as a lone `!` or `^`, matches everything.
    package init(_ text: String) {
        var groups: [[FuzzyTerm]] = []
        // Whether the last word was a bar, and whether the next term is an alternative to the last one.
        var (followsBar, isAlternative) = (false, false)
        for word in Self.words(of: text) {
            if word == "|", !groups.isEmpty, !followsBar {
                (followsBar, isAlternative) = (true, true)
                continue
            }
            followsBar = false
            guard let term = FuzzyTerm(word) else { continue }
            if isAlternative {
                groups[groups.count - 1].append(term)
            } else {
                groups.append([term])
            }
            isAlternative = false
        }
        self.groups = groups
    }

    /// Whether it matches every path.
    package var isEmpty: Bool { groups.isEmpty }

    /// Whether some matches are better than others: a pattern of terms that begin with `!` has no scores.
    package var hasScores: Bool { groups.contains { $0.contains { !$0.isInverse } } }

    /// Whether every path that matches this pattern is known to match `earlier`, too.
    ///
    /// True where more was typed behind a plain term, or as a further one. False where it isn't easily told.
    func goesOn(from earlier: FuzzyPattern) -> Bool {
        guard !earlier.isEmpty, earlier.groups.count <= groups.count else { return false }
        return zip(groups, earlier.groups).allSatisfy { group, old in
            group.count == 1 && old.count == 1 && group[0].goesOn(from: old[0])
        }
    }

    private static func words(of text: String) -> [String] {
        // A tab stands for a blank that is part of a word, as no key types it.
        var scalars = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            let isEscaped = scalar == " " && scalars.last == "\\"
            if isEscaped { scalars.removeLast() }
            scalars.append(isEscaped ? "\t" : scalar)
        }
        return scalars.split(separator: " ").map { word in
            var text = String.UnicodeScalarView()
            text.append(contentsOf: word.map { $0 == "\t" ? " " : $0 })
            return String(text)
        }
    }

    /// How well a path matches; nil where it doesn't.
    ///
    /// - Parameter path: its bytes, of which those that aren't UTF-8 match as U+FFFD, as which they are shown.
    package func match(_ path: some Sequence<UInt8>) -> FuzzyMatch? {
        var matcher = FuzzyMatcher(self)
        matcher.text.set(folder: [], name: Array(path)[...])
        guard let found = matcher.match() else { return nil }
        return FuzzyMatch(rank: found, positions: matcher.positions())
    }
}

/// How a path matches a pattern.
package struct FuzzyMatch: Sendable, Equatable {
    /// How good a match it is.
    package let rank: FuzzyRank
    /// The characters that matched, in order: where each begins, in UTF-8 bytes of the path as it is shown, which is
    /// `String(decoding: path, as: UTF8.self)`.
    package let positions: [Int]
}

/// The quality of a match. The better of two compares as less.
package struct FuzzyRank: Sendable, Hashable, Comparable {
    /// By fzf's rules; greater is better.
    package let score: Int
    /// The distance from the last `/` to the beginning of the match, in characters; `Int.max` where the match begins before
    /// that `/`.
    package let distance: Int
    /// The length of the path in characters, without blanks at its ends.
    package let length: Int

    /// By score, then by how near to the beginning of the name the match begins, then by length.
    package static func < (one: FuzzyRank, other: FuzzyRank) -> Bool {
        if one.score != other.score { return one.score > other.score }
        if one.distance != other.distance { return one.distance < other.distance }
        return one.length < other.length
    }
}
