import Sessions
import Synchronization
import TestSupport
import Testing
import Transport

/// Twenty connections abuse a server in all ways at once, and one client works. Time isn't measured here; that does
/// `Tests/Abuse`.
@Suite(.inTurn, .timeLimit(.minutes(4)))
struct AbuseTests {
    private static let rounds = 30

    private static var limits: Limits {
        var limits = Limits()
        limits.messageBytes = 200_000
        limits.unfinishedBytes = 400_000
        limits.messageValues = 500
        limits.unreadBytes = 50_000
        limits.viewBytes = 200_000
        limits.keptBytes = 1_000_000
        limits.abandonedBytes = 100_000
        limits.addressSessions = 200
        return limits
    }

    @Test func `while twenty connections abuse a server, another one's answers are right and its bounds are kept`()
        async throws
    {
        let limits = Self.limits
        try await withServer(
            loops: 2, limits: limits, register: { BulkViewModel.register(in: &$0, snapshots: Recorder<Int>()) }
        ) { server in
            let bystander = try await server.connected(loop: 1)
            bystander.send(Wire.open("1", "counter"))
            let opened = try await bystander.next()
            #expect(opened.hasPrefix(#"{"jsonrpc":"2.0","id":1,"result":{"session":1,"#))
            try await bystander.expect(Self.count(1, 0))
            let end = End()
            try await withThrowingTaskGroup { group in
                for number in 0..<20 {
                    group.addTask {
                        // Once at least, however late it begins.
                        repeat { try await Self.abuse(server, number) } while !end.hasCome.load(ordering: .relaxed)
                    }
                }
                for round in 1...Self.rounds {
                    bystander.send(Wire.viewEvent("\(round)", 1, #"{"kind":"increment","by":2}"#))
                    try await bystander.expect(
                        Self.count(round + 1, 2 * round), Wire.result("\(round)", #"{"seq":\#(round + 1)}"#))
                    // A message of each connection may be on its way to being refused.
                    #expect(server.unfinishedBytes <= limits.unfinishedBytes + 20 * 64_000)
                }
                end.hasCome.store(true, ordering: .relaxed)
                try await group.waitForAll()
            }
            await until { server.keptBytes <= limits.keptBytes }
            await until { server.abandonedBytes <= limits.abandonedBytes }
            #expect(server.sessionCount <= limits.addressSessions)
            for limit in ["messageValues", "unfinishedBytes"] { #expect(server.exceeded[limit] != nil, "\(limit)") }
            #expect(server.abandonedEnded > 0)
            try await bystander.expectNothing()
        }
    }

    private static func count(_ seq: Int, _ value: Int) -> String {
        Wire.event(1, seq, #"{"kind":"count","value":\#(value)}"#)
    }

    private static func abuse(_ server: TestServer, _ number: Int) async throws {
        let client = try await server.connected(loop: number % 2, capacity: 20_000)
        switch number % 4 {
        case 0: await holdBody(client, of: server)
        case 1: try await attachAndLeave(client)
        case 2: try await openAndLeave(client)
        default: try await sendManyMembers(client)
        }
        client.cut()
    }

    /// A body whose last byte never comes. Five such clients hold more than all may together.
    private static func holdBody(_ client: TestClient, of server: TestServer) async {
        client.send(bytes: Array(#"{"a":""#.utf8) + Array(repeating: UInt8(ascii: "x"), count: 150_000))
        await until { server.exceeded["unfinishedBytes"] != nil }
        for _ in 0..<200 { await Task.yield() }
    }

    /// A batch of attaches to much, which is never read.
    private static func attachAndLeave(_ client: TestClient) async throws {
        client.send(Wire.open("1", "bulk", #"{"bytes":20000}"#))
        let opened = try await client.next()
        guard let key = opened.firstMatch(of: /"key":"([^"]+)"/)?.1 else { return }
        client.pauseReading(true)
        let attaches = (1...30).map { Wire.request("\($0)", "session/attach", #"{"key":"\#(key)"}"#) }
        client.send("[" + attaches.joined(separator: ",") + "]")
        for _ in 0..<100 { await Task.yield() }
    }

    /// Sessions with much in them, and away.
    private static func openAndLeave(_ client: TestClient) async throws {
        let rest = String(repeating: "x", count: 10_000)
        for view in 1...5 {
            client.send(Wire.open("1", "probe"))
            guard try await client.next().contains(#""result""#) else { return }
            client.send(Wire.viewEvent("2", view, #"{"kind":"emit","count":1,"rest":"\#(rest)"}"#))
            _ = (try await client.next(), try await client.next())
        }
    }

    /// Messages that take more memory and time than their bytes.
    private static func sendManyMembers(_ client: TestClient) async throws {
        let members = (0..<600).map { #""m\#($0)":1"# }.joined(separator: ",")
        for id in 1...5 {
            client.send(Wire.request("\(id)", "ping", "{\(members)}"))
            #expect(try await client.next().contains(#""limit":"messageValues""#))
        }
    }
}

private final class End: Sendable {
    let hasCome = Atomic<Bool>(false)
}
