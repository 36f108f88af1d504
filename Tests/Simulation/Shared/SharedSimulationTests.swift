import LibC
import Synchronization
import TestSupport
import Testing
import Transport

/// Seeds of `SharedWorld`. `SHARED_SEEDS=5000` runs so many, `SHARED_SEEDS=1000..<2000` those, and `SHARED_SEED=17` one of them,
/// with all that happened in it.
@Suite(.inTurn, .timeLimit(.minutes(60))) struct SharedSimulationTests {
    private static let usualCount = 40
    /// A defect that so many seeds don't find isn't found.
    private static let defectSeeds = 200

    @Test func `no seed finds a broken guarantee`() async throws {
        if let seed = number("SHARED_SEED") { return try await show(seed) }
        var total = SharedWorld.Outcome(seed: 0)
        let seeds = Seeds(named: "SHARED_SEEDS", usual: Self.usualCount)
        for seed in seeds.range {
            let outcome = try await simulate(seed)
            total.add(outcome)
            if report(outcome), !seeds.areNamed { break }
        }
        print(total.summary)
        // Otherwise nothing was tried.
        #expect(total.cuts > 50 && total.events > 500 && total.links > 20 && total.moves > 20)
    }

    /// `HALL_SEEDS=1000` runs so many of these worlds: the first is seed 3, the next 10.
    @Test func `no seed with windows and halls finds a broken guarantee`() async throws {
        var total = SharedWorld.Outcome(seed: 0)
        let seeds = Seeds(named: "HALL_SEEDS", usual: Self.usualCount * 3 / 5)
        for index in seeds.range {
            let outcome = try await simulate(index * 7 + SharedWorld.seedOfHalls)
            total.add(outcome)
            if report(outcome), !seeds.areNamed { break }
        }
        print(total.summary)
        #expect(total.kills > 10 && total.moves > 10 && total.halls.effects > 200 && total.halls.seen > 500)
    }

    /// Returns whether the seed has found anything.
    @discardableResult private func report(_ outcome: SharedWorld.Outcome) -> Bool {
        guard let violation = outcome.violations.first else { return false }
        let again = "SHARED_SEED=\(outcome.seed) swift test --filter SharedSimulationTests"
        let count = outcome.violations.count
        Issue.record("seed \(outcome.seed): \(violation) (\(count) in all)\nrun it alone: \(again)")
        return true
    }

    @Test(arguments: SharedDefect.allCases) func `a defect is found`(_ defect: SharedDefect) async throws {
        let first = defect.firstSeed
        for seed in first..<(first + Self.defectSeeds)
        where !SharedWorld.hasFile(seed) && SharedWorld.forgets(seed) == defect.needsLoss {
            let outcome = try await simulate(seed, defect)
            guard let violation = outcome.violations.first else { continue }
            // It is the defect that is found, and nothing else.
            guard try await simulate(seed).violations.isEmpty else { continue }
            return print("\(defect): seed \(seed): \(violation)")
        }
        Issue.record("\(Self.defectSeeds) seeds don't find \(defect)")
    }

    @Test func `a seed does the same again`() async throws {
        for seed in 1...3 {
            let outcomes = [try await simulate(seed), try await simulate(seed)]
            #expect(outcomes[0] == outcomes[1], "seed \(seed)")
        }
    }

    private func show(_ seed: Int) async throws {
        let outcome = try await simulate(seed, keepsTrail: true)
        print(outcome.trail.joined(separator: "\n"))
        print("seed \(seed) has the digest \(outcome.digest), in each process")
        for violation in outcome.violations.prefix(20) { Issue.record("\(violation)") }
    }

    private func number(_ name: String) -> Int? { getenv(name).flatMap { Int(String(cString: $0)) } }

    private func simulate(
        _ seed: Int, _ defect: SharedDefect? = nil, keepsTrail: Bool = false
    ) async throws -> SharedWorld.Outcome {
        let clock = ManualClock()
        let loop = try EventLoop(name: "shared \(seed)", clock: clock)
        let result = Mutex<SharedWorld.Outcome?>(nil)
        let end = Semaphore()
        loop.prepare {
            let world = SharedWorld(seed: seed, defect, loop: loop, clock: clock, keepsTrail: keepsTrail) { outcome in
                result.withLock { $0 = outcome }
                end.post()
            }
            world.begin()
        }
        let again = "SHARED_SEED=\(seed) swift test --filter SharedSimulationTests"
        try await runSimulation(on: loop, until: end, again: again)
        return try #require(result.withLock { $0 })
    }
}

extension SharedWorld.Outcome {
    fileprivate mutating func add(_ other: SharedWorld.Outcome) {
        steps += other.steps
        connections += other.connections
        links += other.links
        cuts += other.cuts
        events += other.events
        answers += other.answers
        moves += other.moves
        lostCommits += other.lostCommits
        kills += other.kills
        halls.sends += other.halls.sends
        halls.effects += other.halls.effects
        halls.seen += other.halls.seen
    }

    fileprivate var summary: String {
        """
        \(steps) steps, \(connections) connections, \(links) links, \(cuts) cuts, \(answers) answers, \(events) events, \
        \(moves) takeovers, \(lostCommits) lost commits, \(kills) kills; \(halls.sends) events sent to halls, \
        \(halls.effects) effects there, \(halls.seen) news of halls seen
        """
    }
}
