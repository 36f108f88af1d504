import Benchmarking
import Foundation

/// Counts instructions, allocations and atomic operations of the server with valgrind, and the memory of its connections, and
/// compares them with `Tests/Benchmarks/budgets.json`.
struct BudgetCheck {
    private let server: Subject
    private let options: Options
    private let folder: URL

    private static let path = Programs.root.appending(path: "Tests/Benchmarks/budgets.json")
    private static let maximumCounts = 5
    private static let update = "swift run -c release benchmarks --budgets --update"

    /// Builds a server unless one is given.
    init(_ options: Options) throws {
        self.options = options
        server = Subject(.server, path: try options.server ?? Programs.builtServer())
        folder = FileManager.default.temporaryDirectory.appending(path: "budgets-\(getpid())")
    }

    /// False when a row is above its budget or has none.
    func run() throws -> Bool {
        let chosen = CountedWork.all.filter { options.chooses($0.name) }
        let countsMemory = options.chooses(Self.idle)
        guard !chosen.isEmpty || countsMemory || options.chooses(Self.idleScreen) else {
            throw UsageError(message: "--only names no budget; --help lists them")
        }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let budgets = try Budgets(text: String(contentsOf: Self.path, encoding: .utf8))
        var updated = options.only.isEmpty ? Budgets() : budgets
        var lines: [(work: String, line: BudgetLine)] = []
        func take(
            _ name: String, _ work: String, count: (_ budget: [String: Double]) throws -> [String: Double]
        ) rethrows {
            Progress.say("\(name): \(work) …")
            let budget = budgets.rows[name] ?? [:]
            let counted = try count(budget)
            lines += Self.lines(counted, budget).map { (work, $0) }
            updated.rows[name] = counted
        }
        for work in chosen {
            try take(work.name, work.work) { try leastCost(of: work, budget: $0).quantities }
        }
        if countsMemory {
            try take(Self.idle, Self.idleWork) { _ in try connectionMemory() }
        }
        if options.chooses(Self.idleScreen) {
            try take(Self.idleScreen, Self.idleScreenWork) { _ in try screenMemory() }
        }
        show(lines)
        if options.updatesBudgets {
            try updated.text.write(to: Self.path, atomically: true, encoding: .utf8)
            print("\nWritten to Tests/Benchmarks/budgets.json")
            return true
        }
        let verdicts = Set(lines.map(\.line.verdict))
        if verdicts != [.within] { print("\nTo make these counts the budgets: \(Self.update)") }
        return verdicts.isDisjoint(with: [.above, .unknown])
    }

    /// Counted again while it is above its budget. When which thread wakes differs from run to run and only adds to what
    /// the work itself costs, so the least counts are the nearest to that.
    private func leastCost(of work: CountedWork, budget: [String: Double]) throws -> Cost {
        var many = try count(work, events: work.many)
        var few = work.few > 0 ? try count(work, events: work.few) : Cost(instructions: 0, allocations: 0, atomics: 0)
        var cost: Cost { (many - few) / ((work.many - work.few) * work.share) }
        var isAbove: Bool { Self.lines(cost.quantities, budget).contains { $0.verdict == .above } }
        for _ in 1..<Self.maximumCounts where isAbove {
            many = try min(many, count(work, events: work.many))
            if work.few > 0 { few = try min(few, count(work, events: work.few)) }
        }
        return cost
    }

    private func min(_ left: Cost, _ right: Cost) -> Cost { left.combined(with: right, Swift.min) }

    private static func lines(_ counted: [String: Double], _ budget: [String: Double]) -> [BudgetLine] {
        counted.sorted { $0.key < $1.key }.map { BudgetLine($0.key, budget: budget[$0.key], counted: $0.value) }
    }

    static let idle = "idle"
    static let idleWork = "2,000 idle connections with a session: one of them"

    /// On one core, where all of them share one loop.
    private func connectionMemory() throws -> [String: Double] {
        let count = 2_000
        return try Core.withOne {
            try Watchdog.within(seconds: 300) {
                let crowd = try Crowd(server)
                return ["KiB": try crowd.memoryOfEach(of: count)]
            }
        }
    }

    static let idleScreen = "idle-screen"
    static let idleScreenWork = "1,000 people's idle screens of one board: one of them, with its connection"

    private func screenMemory() throws -> [String: Double] {
        let count = 1_000
        return try Core.withOne {
            try Watchdog.within(seconds: 300) {
                let people = try People(count: count)
                let (child, port) = try server.tcp(people: people)
                var screens = [try Screen(of: 0, port: port)]
                let before = try child.privateMemory()
                for person in 1..<count { screens.append(try Screen(of: person, port: port)) }
                let after = try child.privateMemory()
                // All are there.
                try screens[0].send(#"{"kind":"add","title":"Dig"}"#)
                for index in screens.indices { try screens[index].waitForNews(1) }
                return ["KiB": Double(after - before) / Double(count - 1)]
            }
        }
    }

    /// The cost of one run of the program, from its start to its end.
    private func count(_ work: CountedWork, events: Int) throws -> Cost {
        let profile = folder.appending(path: "\(work.name)-\(events)").path(percentEncoded: false)
        // One core, so that the server has one loop; and no seeds, so that a dictionary has as many collisions each
        // time.
        try Core.withOne {
            try Watchdog.within(seconds: 300) {
                let child = try work.run(
                    server.run(
                        by: [
                            "/usr/bin/env", "SWIFT_DETERMINISTIC_HASHING=1", "valgrind", "-q", "--tool=callgrind",
                            "--collect-bus=yes",
                            "--callgrind-out-file=\(profile)",
                        ],
                        // Under valgrind everything is slow: no handler is to leave its loop for that, and the view models aren't
                        // to be looked over in one run, which takes more than a second, and in the other one not.
                        options: ["--limit", "handlerTime=3600", "--log-level", "error"]), events)
                try child.end()
            }
        }
        return try Cost(profile: String(contentsOfFile: profile, encoding: .utf8).split(separator: "\n"))
    }

    private func show(_ lines: [(work: String, line: BudgetLine)]) {
        var cells = [["work", "", "budget", "counted", "ratio", ""]]
        var last: String?
        for (work, line) in lines {
            let decimals = line.counted < 1_000 ? 2 : 0
            cells.append([
                work == last ? "" : work, line.quantity, line.budget?.text(decimals: decimals) ?? "–",
                line.counted.text(decimals: decimals), line.ratio?.text(decimals: 3) ?? "–", line.verdict.rawValue,
            ])
            last = work
        }
        print(Table(cells, rightAligned: [2, 3, 4]).lines.joined(separator: "\n"))
    }
}
