import LibC
import Serving
import Sessions
import Synchronization
import TestSupport
import Testing
import Transport

/// Seeds of the `Simulation`. `SIMULATION_SEEDS=100000` runs so many, `SIMULATION_SEEDS=1000..<2000` those, and
/// `SIMULATION_SEED=17` one of them, ten times, with all that happened in it.
@Suite(.inTurn, .timeLimit(.minutes(60))) struct SimulationTests {
    private static let usualCount = 200

    @Test func `no seed finds a broken guarantee`() async throws {
        if let seed = number("SIMULATION_SEED") { return try await show(seed) }
        var total = Simulation.Outcome(seed: 0)
        let seeds = Seeds(named: "SIMULATION_SEEDS", usual: Self.usualCount)
        for seed in seeds.range {
            let outcome = try await simulate(seed)
            total.add(outcome)
            guard let violation = outcome.violations.first else { continue }
            let count = outcome.violations.count
            Issue.record("seed \(seed): \(violation) (\(count) in all)\nrun it alone: \(Self.again(seed))")
            if !seeds.areNamed { break }
        }
        print(total.summary)
        // Otherwise nothing was tried.
        #expect(total.cuts > 100 && total.events > 1_000 && total.answers > 1_000)
    }

    @Test func `a seed does the same again`() async throws {
        for seed in [1, 2, 3, 5, 8, 13, 21, 34] {
            let outcomes = [try await simulate(seed), try await simulate(seed), try await simulate(seed)]
            #expect(outcomes[0] == outcomes[1] && outcomes[1] == outcomes[2], "seed \(seed)")
        }
    }

    /// One seed ten times, with its trail.
    private func show(_ seed: Int) async throws {
        Simulation.keepsTrail = true
        var outcomes: [Simulation.Outcome] = []
        for _ in 0..<10 { outcomes.append(try await simulate(seed)) }
        print(outcomes[0].trail.joined(separator: "\n"))
        let failed = outcomes.filter { !$0.violations.isEmpty }
        let kinds = Set(outcomes.map(\.digest)).count
        print("\(failed.count) of 10 runs fail; they differ in \(kinds) ways")
        for violation in outcomes.flatMap(\.violations).prefix(20) { Issue.record("\(violation)") }
    }

    private static func again(_ seed: Int) -> String { "SIMULATION_SEED=\(seed) swift test --filter SimulationTests" }

    private func number(_ name: String) -> Int? { getenv(name).flatMap { Int(String(cString: $0)) } }

    private func simulate(_ seed: Int) async throws -> Simulation.Outcome {
        let clock = ManualClock()
        let loop = try EventLoop(name: "seed \(seed)", clock: clock)
        let result = Mutex<Simulation.Outcome?>(nil)
        let end = Semaphore()
        try await prepare(seed, clock, loop) { outcome in
            result.withLock { $0 = outcome }
            end.post()
        }
        try await runSimulation(on: loop, until: end, again: Self.again(seed))
        return try #require(result.withLock { $0 })
    }

    /// Apart, so that nobody else keeps the server.
    private func prepare(
        _ seed: Int, _ clock: ManualClock, _ loop: EventLoop, done: @escaping @Sendable (Simulation.Outcome) -> Void
    ) async throws {
        let truth = Truth(clock: clock)
        let limits = limits(seed)
        let server = InProcessServer(name: "simulation", version: "1", limits: limits) { truth.register(in: &$0) }
        let core = try await server.core(clock: clock)
        loop.prepare {
            Simulation(seed: seed, core: core, limits: limits, truth: truth, loop: loop, done: done).begin()
        }
    }

    /// Small ones for most seeds, so that they are reached.
    private func limits(_ seed: Int) -> Limits {
        var generator = SeededGenerator(seed: ~seed)
        var limits = Limits()
        if generator.chance(40) { limits.pendingEvents = Int.random(in: 2...12, using: &generator) }
        if generator.chance(40) { limits.replayEvents = Int.random(in: 1...40, using: &generator) }
        if generator.chance(30) { limits.viewBytes = Int.random(in: 2_000...60_000, using: &generator) }
        if generator.chance(30) { limits.sessions = Int.random(in: 2...6, using: &generator) }
        if generator.chance(30) { limits.batchMessages = Int.random(in: 4...20, using: &generator) }
        if generator.chance(30) { limits.messageBytes = Int.random(in: 8_000...40_000, using: &generator) }
        return limits
    }
}

extension Simulation.Outcome {
    mutating func add(_ other: Simulation.Outcome) {
        steps += other.steps
        connections += other.connections
        cuts += other.cuts
        events += other.events
        answers += other.answers
    }

    var summary: String {
        "\(steps) steps, \(connections) connections, \(cuts) cuts, \(answers) answers, \(events) events of view models"
    }
}
