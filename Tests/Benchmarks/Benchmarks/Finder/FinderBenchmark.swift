import Benchmarking
import Foundation

/// The example `finder` in a folder of many files, beside the programs that others search with.
struct FinderBenchmark: Sendable {
    /// As `--only` takes it.
    let name: String
    let work: String
    let lines: [Benchmark.Line]
    /// The figures of one turn.
    let measure: @Sendable (Subject, FinderTree, Effort) throws -> Benchmark.Sample
    /// The same of the other program; none where it isn't installed.
    let measureOther: @Sendable (FinderTree) throws -> Double?

    init(
        _ name: String, _ work: String, _ lines: [(Quantity, Target?)],
        measureOther: @escaping @Sendable (FinderTree) throws -> Double? = { _ in nil },
        measure: @escaping @Sendable (Subject, FinderTree, Effort) throws -> Benchmark.Sample
    ) {
        self.name = name
        self.work = work
        self.lines = lines.map { Benchmark.Line(quantity: $0, target: $1) }
        self.measure = measure
        self.measureOther = measureOther
    }

    /// All rows of those that are chosen.
    static func rows(_ chosen: [FinderBenchmark], _ server: Subject, _ effort: Effort) throws -> [Row] {
        for other in [OtherProgram.fd, .fzf, .ripgrep] where !other.isInstalled {
            Progress.say("\(other.name) isn't installed (Debian's package \(other.package)): nothing beside the finder")
        }
        Progress.say("Making \(effort.files) files …")
        let tree = try FinderTree(files: effort.files)
        return chosen.flatMap { benchmark in
            Progress.say("\(benchmark.name): \(benchmark.work) …")
            do {
                return try benchmark.rows(server, tree, effort)
            } catch {
                let line = benchmark.lines[0]
                return [
                    Row(
                        benchmark: benchmark.name, work: benchmark.work, quantity: line.quantity, target: nil,
                        state: .failed("\(error)"))
                ]
            }
        }
    }

    private func rows(_ server: Subject, _ tree: FinderTree, _ effort: Effort) throws -> [Row] {
        var (ours, theirs): ([Benchmark.Sample], [Double]) = ([], [])
        // The first round only has the kernel read what the others find in memory.
        for round in 0...effort.rounds {
            try Watchdog.within(seconds: 120 + Int(effort.seconds * 10)) {
                let (sample, other) = (try measure(server, tree, effort), try measureOther(tree))
                guard round > 0 else { return }
                ours.append(sample)
                if let other { theirs.append(other) }
            }
        }
        return lines.map { line in
            Row(
                benchmark: name, work: work, quantity: line.quantity, target: line.target,
                state: .measured(ours.compactMap { $0[line.quantity] }, reference: theirs))
        }
    }
}

extension FinderBenchmark {
    /// In the order of the table.
    static let all = [
        FinderBenchmark(
            "finder-open", "open a finder, until all files are found and ranked",
            [(.time, .atMostOfReference("fd", 1))],
            measureOther: find
        ) { server, tree, _ in
            [.time: try FinderClient(server, in: tree.folder).open(files: tree.paths.count)]
        },
        FinderBenchmark(
            "finder-rank", "rank all paths by a text", [(.time, .atMostOfReference("fzf", 1))],
            measureOther: filter
        ) { server, tree, _ in
            let client = try FinderClient(server, in: tree.folder)
            _ = try client.open(files: tree.paths.count)
            let time = try client.search(rankedQuery).all
            guard client.matches == ranked(tree) else {
                throw Dialogue.Broken("\(client.matches) paths match, and not \(ranked(tree))")
            }
            return [.time: Double(time) / 1e6]
        },
        FinderBenchmark(
            "finder-keys", "a key of a word of ten, to the first rows",
            [(.p50, .atMost(20_000)), (.p99, .atMost(60_000))]
        ) { server, tree, effort in
            let client = try FinderClient(server, in: tree.folder)
            _ = try client.open(files: tree.paths.count)
            var latencies = Latencies()
            for word in tree.queries(effort.words) {
                try client.search("")
                for count in 1...word.count { latencies.add(try client.search(String(word.prefix(count))).rows) }
                guard client.matches > 0 else { throw Dialogue.Broken("\(word) matches nothing") }
            }
            var sample: Benchmark.Sample = [:]
            sample[.p50] = latencies.percentile(0.5)
            sample[.p99] = latencies.percentile(0.99)
            return sample
        },
        FinderBenchmark(
            "finder-memory", "know all files, each", [(.scannedMemory, .atMost(200)), (.searchedMemory, .atMost(200))]
        ) { server, tree, effort in
            let (empty, full) = try (FinderClient(server, in: tree.emptyFolder), FinderClient(server, in: tree.folder))
            _ = try (empty.open(files: 0), full.open(files: tree.paths.count))
            var sample: Benchmark.Sample = [:]
            let words = tree.queries(effort.words)
            for (quantity, queries) in [(Quantity.scannedMemory, [""]), (.searchedMemory, words)] {
                for text in queries {
                    try empty.search(text)
                    try full.search(text)
                }
                let growth = try full.child.privateMemory() - empty.child.privateMemory()
                sample[quantity] = Double(growth) * 1_024 / Double(tree.paths.count)
            }
            return sample
        },
        lines("finder-text", "find lines with a text", "text", FinderTree.needle, FinderTree.kinds),
        lines(
            "finder-regex", "find lines by an expression with a word in it", "regex", FinderTree.needleExpression,
            ["alpha", "beta"]),
        lines(
            "finder-choice", "find lines by an expression without one", "regex", FinderTree.choiceExpression,
            ["alpha", "gamma"]),
    ]

    private static func lines(
        _ name: String, _ work: String, _ mode: String, _ text: String,
        _ kinds: [String]
    ) -> FinderBenchmark {
        FinderBenchmark(
            name, work, [(.time, .atMostOfReference("ripgrep", 2))],
            measureOther: { tree in
                let arguments = ["--smart-case", "--line-number", "--no-heading", "--regexp", text, "."]
                return try OtherProgram.ripgrep.time(arguments, in: tree.folder, lines: tree.lines(with: kinds))
            }
        ) { server, tree, _ in
            let client = try FinderClient(server, in: tree.folder)
            _ = try client.open(files: tree.paths.count)
            try client.searchLines(mode)
            let time = try client.search(text).all
            guard client.matches == tree.lines(with: kinds) else {
                throw Dialogue.Broken("\(client.matches) lines were found")
            }
            return [.time: Double(time) / 1e6]
        }
    }

    @Sendable private static func find(_ tree: FinderTree) throws -> Double? {
        try OtherProgram.fd.time(["--type", "f", "."], in: tree.folder, lines: tree.paths.count)
    }

    private static let rankedQuery = "servrow"

    /// Has fzf show as many as match.
    @Sendable private static func filter(_ tree: FinderTree) throws -> Double? {
        try OtherProgram.fzf.time(
            ["--filter", rankedQuery], in: tree.folder, input: tree.pathsFile, lines: ranked(tree))
    }

    /// How many paths have the characters of the text in their order.
    private static func ranked(_ tree: FinderTree) -> Int {
        tree.paths.count { path in
            var rest = rankedQuery.utf8[...]
            for byte in path.utf8 where byte | 0x20 == rest.first { rest.removeFirst() }
            return rest.isEmpty
        }
    }
}

extension Quantity {
    fileprivate static let time = Quantity("time", .milliseconds)
    fileprivate static let scannedMemory = Quantity("memory, scanned", .bytes)
    fileprivate static let searchedMemory = Quantity("memory, searched", .bytes)
}
