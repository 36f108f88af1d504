import Examples
import TestSupport
import Testing

@Suite(.inTurn) struct FuzzyRankingTests {
    /// Paths that look like those of a source tree, each once, by bytes.
    static func paths(count: Int, seed: Int) -> [String] {
        var generator = SeededGenerator(seed: seed)
        let words = [
            "src", "main", "test", "View", "Model", "Server", "client", "index", "util", "io", "a", "b2", "HTTP",
            "fooBar", "x", "json", "read", "write", "lib", "core", "data",
        ]
        let separators = ["", "_", "-", ".", " "]
        func name() -> String {
            let count = Int.random(in: 1...3, using: &generator)
            let parts = (0..<count).compactMap { _ in words.randomElement(using: &generator) }
            return parts.joined(separator: separators.randomElement(using: &generator) ?? "")
        }
        var paths: Set<String> = []
        while paths.count < count {
            let folders = (0..<Int.random(in: 0...4, using: &generator)).map { _ in name() }
            let ending = [".swift", ".c", ".json", ""].randomElement(using: &generator) ?? ""
            paths.insert((folders + [name() + ending]).joined(separator: "/"))
        }
        return paths.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    private func batches(_ paths: [String], size: Int = 100) -> [FileBatch] {
        stride(from: 0, to: paths.count, by: size).map { start in
            FileBatch(paths: paths[start..<min(start + size, paths.count)].map { Array($0.utf8) })
        }
    }

    private func shown(_ entries: [FuzzyRanking.Entry]) -> [String] {
        entries.map { String(decoding: $0.batch.path(at: $0.index), as: UTF8.self) }
    }

    @Test(arguments: ["", "vm", "main io", "!a", "^src json$ | c$", "Server", "'read"])
    func `the best files are those that a sort has first`(pattern: String) async throws {
        let paths = Self.paths(count: 1000, seed: 1)
        let fuzzy = FuzzyPattern(pattern)
        let ranked = paths.compactMap { path in fuzzy.match(path.utf8).map { (path, $0.rank) } }
        // This sort keeps the order of what is equal.
        let sorted = ranked.sorted { $0.1 < $1.1 }.map(\.0)
        var ranking = FuzzyRanking(fuzzy, limit: 37)
        try await ranking.add(batches(paths.shuffled()))
        #expect(ranking.total == sorted.count)
        #expect(shown(ranking.best) == Array(sorted.prefix(37)))
    }

    @Test func `files can be added one batch after the other`() async throws {
        let paths = Self.paths(count: 1000, seed: 2)
        var (steps, all) = (FuzzyRanking(FuzzyPattern("se"), limit: 50), FuzzyRanking(FuzzyPattern("se"), limit: 50))
        for batch in batches(paths) { steps.add(batch) }
        try await all.add(batches(paths), tasks: 3)
        #expect(steps.total == all.total && shown(steps.best) == shown(all.best))
    }

    @Test(arguments: ["viewModel", "src json", "Http.c", "main !test io", "^src vi$", "a | b2", "'core x", "lib\\ a"])
    func `with each key only what matched before is looked at, and the result is the same`(text: String) async throws {
        let batches = batches(Self.paths(count: 1000, seed: 3))
        var earlier: FuzzyRanking?
        for count in 1...text.count {
            let pattern = FuzzyPattern(String(text.prefix(count)))
            var (next, anew) = (FuzzyRanking(pattern, limit: 50, after: earlier), FuzzyRanking(pattern, limit: 50))
            // Others come meanwhile.
            try await next.add(Array(batches[..<min(batches.count, count + 2)]))
            try await next.add(Array(batches[min(batches.count, count + 2)...]))
            try await anew.add(batches)
            #expect(next.total == anew.total && shown(next.best) == shown(anew.best), "\(text.prefix(count))")
            earlier = next
        }
    }

    @Test func `no files, and no room for any`() async throws {
        var ranking = FuzzyRanking(FuzzyPattern(""), limit: 0)
        try await ranking.add([])
        try await ranking.add(batches(["a", "b"]))
        #expect(ranking.total == 2 && ranking.best.isEmpty)
    }

    @Test func `a ranking that is cancelled says so, and has added nothing`() async throws {
        let batches = batches(Self.paths(count: 1000, seed: 3))
        let task = Task {
            var ranking = FuzzyRanking(FuzzyPattern("a"), limit: 10)
            withUnsafeCurrentTask { $0?.cancel() }
            await #expect(throws: CancellationError.self) { try await ranking.add(batches) }
            return ranking.total
        }
        #expect(await task.value == 0)
    }

    @Test func `names that aren't UTF-8 are ranked, too`() {
        var ranking = FuzzyRanking(FuzzyPattern("ab"), limit: 10)
        ranking.add(FileBatch(paths: [[0xFF, 0x2F, 0x61, 0x62], [0x61, 0x62, 0xFF]] as [[UInt8]]))
        #expect(ranking.best.map { $0.batch.path(at: $0.index) } == [[0x61, 0x62, 0xFF], [0xFF, 0x2F, 0x61, 0x62]])
    }
}

/// Against the program itself.
@Suite(.inTurn, .enabled(if: OutsideTool.isInstalled("fzf"), "fzf isn't installed")) struct FzfTests {
    /// Terms of letters: since version 0.60 fzf looks for the last place of an exact one or of a single letter, and
    /// marks are worth more.
    static let fuzzyPatterns = [
        "main", "vm", "VM", "io", "sr", "fb", "test json", "b2", "http", "HTTP", "mdl", "srcmain", "xx",
        "utilread", "da se", "rdwr", "ViewM", "swift",
    ]
    static let otherPatterns = [
        "'main", "^src", "json$", "!a", "!test vm", "^s c$", "a | b2", "^src | ^lib swift$", "/", "src/m", "-", "_b",
        "'io 'a", "re.ad", "!json$ !swift$ x", "main\\ x", "'fooBar", "^a/", "!'vm", "VM | vm$", "s", "c", "'main'",
        "'io' a", "'a_main'", "!'src' !'main' x", "'b2'$", "''",
    ]

    private static let paths = FuzzyRankingTests.paths(count: 2000, seed: 19)

    @Test(arguments: fuzzyPatterns + otherPatterns) func `the order is that of fzf`(pattern: String) async throws {
        let version = try await OutsideTool.lines(of: "fzf --version").first ?? ""
        let minor = version.split(separator: ".").dropFirst().first.flatMap { Int($0) } ?? 0
        // Older ones don't look where in a path the match is.
        let isOld = version.hasPrefix("0.") && minor < 60
        guard !isOld || Self.fuzzyPatterns.contains(pattern) else { return }

        let tree = try TemporaryTree()
        try tree.write("paths", Self.paths.map { $0 + "\n" }.joined())
        let quoted = pattern.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''")
        let expected = try await OutsideTool.lines(
            of: "FZF_DEFAULT_OPTS= fzf --literal --scheme=path --filter='\(quoted)' < '\(tree.path)/paths'",
            failing: true)
        var ranking = FuzzyRanking(FuzzyPattern(pattern), limit: Self.paths.count)
        ranking.add(FileBatch(paths: Self.paths.map { Array($0.utf8) }))
        var best = ranking.best.map { ($0.rank, String(decoding: $0.batch.path(at: $0.index), as: UTF8.self)) }
        if isOld {
            best.sort { one, other in
                (-one.0.score, one.0.length, one.1) < (-other.0.score, other.0.length, other.1)
            }
        }
        #expect(best.map(\.1) == expected)
    }
}
