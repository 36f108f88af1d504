import Examples
import TestSupport
import Testing

@Suite(.inTurn) struct FuzzyPatternTests {
    private func matches(_ pattern: String, _ path: String) -> Bool {
        FuzzyPattern(pattern).match(path.utf8) != nil
    }

    /// The path with the characters that match in brackets.
    private func marked(_ pattern: String, _ path: String) -> String? {
        guard let match = FuzzyPattern(pattern).match(path.utf8) else { return nil }
        var (marked, offset) = ("", 0)
        for scalar in path.unicodeScalars {
            let isMatch = match.positions.contains(offset)
            marked += isMatch ? "[\(scalar)]" : "\(scalar)"
            offset += UTF8.width(scalar)
        }
        return marked.split(separator: "][", omittingEmptySubsequences: false).joined()
    }

    // With its type: finding it in a macro's argument takes the compiler three seconds.
    private static let patterns: [(String, String, Bool)] = [
        ("", "anything", true), ("  ", "anything", true), ("abc", "a/b/c", true), ("abc", "acb", false),
        ("abc", "ABC", true), ("aBc", "abc", false), ("aBc", "xaBc", true), ("ab cd", "cd/ab", true),
        ("ab cd", "cd/a", false), ("'abc", "xabcx", true), ("'abc", "xabxc", false), ("^abc", "abcd", true),
        ("^abc", "xabc", false), ("abc$", "xabc", true), ("abc$", "abcx", false), ("^abc$", "abc", true),
        ("^abc$", "abcx", false), ("^abc$", "ABC", true), ("!abc", "xabcx", false), ("!abc", "axbxc", true),
        ("!^abc", "xabc", true), ("!^abc", "abc", false), ("!abc$", "abcx", true), ("!abc$", "abc", false),
        ("!'abc", "axbxc", false), ("!'abc", "acb", true), ("a | b", "b", true), ("a | b", "c", false),
        ("^x | ^y z$", "yz", true), ("^x | ^y z$", "xy", false), ("a | !b", "c", true), ("a | !b", "b", false),
        ("!", "x", true), ("^", "x", true), ("'", "x", true), ("$", "x", false), ("$", "a$", true), ("^$", "x", true),
        ("|", "a|b", true), ("|", "ab", false), ("| a", "a", false), ("a |", "a", true), ("a | | b", "b", false),
        ("a\\ b", "a b", true), ("a\\ b", "b a", false), ("a\\ b", "ab", false), ("!a !b", "c", true),
        ("!a !b", "cb", false), ("ä", "Ä", true), ("Ä", "ä", false), ("я", "Я.txt", true), ("k", "\u{212A}", false),
        ("'ab'", "x/ab.c", true), ("'ab'", "xab", false), ("'ab'", "ab2", false), ("!'ab'", "abc", true),
        ("''", "'", true),
        ("^b", " b", true), ("b$", "b ", true),
    ]

    @Test(arguments: patterns)
    func `a pattern says which paths match`(pattern: String, path: String, isMatch: Bool) {
        #expect(matches(pattern, path) == isMatch)
    }

    @Test(arguments: [
        ("main", "src/main/domain.swift", "src/[main]/domain.swift"),
        ("fb", "foo/fubar/fb", "foo/fubar/[fb]"),
        ("vm", "Sources/ViewModel.swift", "Sources/[V]iew[M]odel.swift"),
        ("ab", "a/a_b", "a/[a]_[b]"),
        ("'in", "main/in", "main/[in]"),
        ("a$ ^a", "a/b/a", "[a]/b/[a]"),
        ("äö", "x/ä/ö.ü", "x/[ä]/[ö].ü"),
        ("swift !x", "a.swift", "a.[swift]"),
        ("x | b", "ab", "a[b]"),
    ])
    func `the characters that matched are told`(pattern: String, path: String, expected: String) {
        #expect(marked(pattern, path) == expected)
    }

    @Test(arguments: [
        // Nothing but the match: 16 a character, 9 for the beginning of a name, which counts twice at first.
        ("abc", "abc", 3 * 16 + 4 * 9),
        ("abc", "x/abc", 3 * 16 + 4 * 9),
        ("abc", "x-abc", 3 * 16 + 4 * 8),
        ("abc", "xabc", 3 * 16 + 2 * 4),
        ("ab", "axxb", 2 * 16 + 2 * 9 - 3 - 1),
        ("ab", "a_b", 2 * 16 + 2 * 9 + 8 - 3),
        ("fb", "fooBar", 2 * 16 + 2 * 9 + 7 - 3 - 1),
        ("f1", "foo1", 2 * 16 + 2 * 9 + 7 - 3 - 1),
        ("'abc", "xabc", 3 * 16 + 2 * 4),
        ("a b", "a/b", 2 * 16 + 4 * 9),
        ("!a", "b", 0),
    ])
    func `a match has fzf's score`(pattern: String, path: String, score: Int) {
        #expect(FuzzyPattern(pattern).match(path.utf8)?.rank.score == score)
    }

    @Test func `of equal scores the match nearer to the beginning of a name is better, then the shorter path`() {
        let paths = ["abc/x", "y/abc", "abc", "yy/abc", "y/yabc"]
        let ranked = paths.compactMap { path in FuzzyPattern("abc").match(path.utf8).map { (path, $0.rank) } }
        #expect(ranked.sorted { $0.1 < $1.1 }.map(\.0) == ["abc", "y/abc", "yy/abc", "abc/x", "y/yabc"])
    }

    @Test func `what isn't UTF-8 is matched as it is shown`() throws {
        let path: [UInt8] = [0x61, 0xFF, 0x2F, 0xE2, 0x82, 0x62]
        let shown = String(decoding: path, as: UTF8.self)
        #expect(shown == "a\u{FFFD}/\u{FFFD}b")
        #expect(try #require(FuzzyPattern("ab").match(path)).positions == [0, 8])
        #expect(try #require(FuzzyPattern("\u{FFFD}b").match(path)).positions == [5, 8])
    }

    @Test func `long paths and long terms are matched, too`() throws {
        let long = String(repeating: "ab/", count: 100_000)
        #expect(try #require(FuzzyPattern("aab").match((long + "c").utf8)).positions == [299_994, 299_997, 299_998])
        let term = String(repeating: "xy", count: 5000)
        #expect(matches(term, term + "z") && !matches(term + "z", term))
    }

    @Test func `no pattern and no path is too strange`() {
        var generator = SeededGenerator(seed: 19)
        let letters = Array("aB1 /|!'^$\\._-é\u{301}\u{1F600}\t\0")
        func text(_ count: Int) -> String {
            let count = Int.random(in: 0...count, using: &generator)
            return String((0..<count).compactMap { _ in letters.randomElement(using: &generator) })
        }
        for _ in 0..<5000 {
            let (pattern, path) = (text(8), text(20))
            guard let match = FuzzyPattern(pattern).match(path.utf8) else { continue }
            #expect(match.positions == Set(match.positions).sorted(), "\(pattern) in \(path)")
            #expect(match.positions.allSatisfy { path.utf8.count > $0 && $0 >= 0 }, "\(pattern) in \(path)")
        }
    }
}
