import Sessions
import TestSupport
import Testing
import Transport

import Serving

/// Guarantee 5, and what `client`, `number` and `handled` promise: under connections that are lost after any byte, in either
/// direction, again and again, while everybody sends.
@Suite(.inTurn, .timeLimit(.minutes(10)))
struct ComingBackTests {
    private static let sessions = 20
    private static let clientsPerSession = 5

    /// Plays it and holds that each view event was applied once, in order.
    private func play(eventsPerClient: Int, isReplaceable: Bool, seed: Int) async throws -> [CutClient.Outcome] {
        let applied = TallyViewModel.Applied()
        let eventsPerSession = Self.clientsPerSession * eventsPerClient
        let outcomes = Recorder<CutClient.Outcome>()
        let isOver = Gate()
        var limits = Limits()
        limits.replayEvents = eventsPerSession
        limits.replayBytes = Int.max
        try await withServer(
            loops: 2, limits: limits, register: { $0.add("tally") { TallyViewModel(applied) } }
        ) { server in
            for session in 1...Self.sessions {
                let opener = try await server.connected(loop: session % 2)
                opener.send(Wire.open("1", "tally"))
                try await opener.expect(Wire.opened("1", 1, "key-\(session)", "tally"))
                opener.cut()
            }
            for index in 0..<(Self.sessions * Self.clientsPerSession) {
                let plan = CutClient.Plan(
                    name: "client \(index)", key: "key-\(index % Self.sessions + 1)", events: eventsPerClient,
                    isReplaceable: isReplaceable, last: eventsPerSession, receivedBytes: 5_000, sentBytes: 3_000)
                let loop = server.loops[index / Self.sessions % 2]
                loop.execute { [core = server.core] in
                    CutClient(plan, core: core, loop: loop, seed: seed &+ index) {
                        outcomes.record($0)
                        // The others would wait for ever for the events of one that failed.
                        let isLast = outcomes.elements.count == Self.sessions * Self.clientsPerSession
                        if isLast || $0.failure != nil { isOver.open() }
                    }.connect()
                }
            }
            await isOver.wait()
        }
        let expected = Array(1...eventsPerClient)
        for outcome in outcomes.elements {
            #expect(outcome.failure == nil, "seed \(seed)")
            #expect(applied.byClient[outcome.name] == expected, "seed \(seed): \(outcome.name)'s view events")
        }
        return outcomes.elements
    }

    @Test func `a hundred clients whose connections are cut again and again see every number once, in order`()
        async throws
    {
        let (seed, eventsPerClient) = (20_261, 30)
        let outcomes = try await play(eventsPerClient: eventsPerClient, isReplaceable: false, seed: seed)
        #expect(outcomes.count == 100)
        for outcome in outcomes {
            #expect(outcome.seen == Self.clientsPerSession * eventsPerClient, "seed \(seed): \(outcome.name)")
            #expect(outcome.newest.values.allSatisfy { $0 == eventsPerClient }, "seed \(seed): \(outcome.name)")
        }
        let cuts = outcomes.reduce(0) { $0 + $1.cuts }
        let resent = outcomes.reduce(0) { $0 + $1.resent }
        #expect(cuts >= 600, "seed \(seed)")
        #expect(resent >= 60, "seed \(seed)")
    }

    @Test func `of replaceable events they see the newest of each key, and are told what was left out`() async throws {
        let (seed, eventsPerClient) = (4_711, 40)
        let outcomes = try await play(eventsPerClient: eventsPerClient, isReplaceable: true, seed: seed)
        #expect(outcomes.count == 100)
        for outcome in outcomes {
            #expect(outcome.newest.count == Self.clientsPerSession, "seed \(seed): \(outcome.name)")
            #expect(outcome.newest.values.allSatisfy { $0 == eventsPerClient }, "seed \(seed): \(outcome.name)")
        }
        #expect(outcomes.reduce(0) { $0 + $1.cuts } >= 1_000, "seed \(seed)")
        #expect(outcomes.reduce(0) { $0 + $1.jumps } >= 1_000, "seed \(seed)")
    }
}
