import Sessions
import TestSupport
import Testing

@Suite(.inTurn, .timeLimit(.minutes(4)))
struct AttachStormTests {
    private let snapshots = Recorder<Int>()

    private static func open(_ bytes: Int) -> String { Wire.open("1", "bulk", #"{"bytes":\#(bytes)}"#) }

    private static func attach(_ id: String, _ key: String = "key-1") -> String {
        Wire.request(id, "session/attach", #"{"key":"\#(key)"}"#)
    }

    @Test(arguments: TestFraming.allCases)
    func `long events and snapshots come in pieces, and whole, to a client that reads slowly`(
        framing: TestFraming
    ) async throws {
        try await withServer(register: { BulkViewModel.register(in: &$0, snapshots: snapshots) }) { server in
            let client = try await server.connected(framing, capacity: 30_000)
            let text = String(repeating: "x", count: 300_000)
            client.send(Wire.open("1", "probe"), Wire.viewEvent("2", 1, #"{"kind":"emitBytes","value":300000}"#))
            try await client.expect(
                Wire.opened("1", 1, "key-1", "probe"), Wire.event(1, 1, #"{"kind":"text","value":"\#(text)"}"#),
                Wire.result("2", #"{"seq":1}"#))
            client.send(Self.attach("3"), Wire.request("4", "ping"))
            try await client.expect(
                Wire.result(
                    "3",
                    #"{"session":2,"viewModel":"probe","seq":1,"epoch":"1","snapshot":[{"kind":"text","value":"\#(text)"}]}"#
                ),
                Wire.result("4"))
            try await client.expectNothing()
        }
    }

    @Test func `the answers of a batch are no longer than a message, however much it asks for`() async throws {
        var limits = Limits()
        limits.messageBytes = 1_000_000
        try await withServer(limits: limits, register: { BulkViewModel.register(in: &$0, snapshots: snapshots) }) {
            server in
            let client = try await server.connected()
            client.send(Self.open(300_000))
            try await client.expect(Wire.opened("1", 1, "key-1", "bulk"))
            client.send("[" + (1...10).map { Self.attach("\($0)") }.joined(separator: ",") + "]")
            let answers = try await client.next()
            #expect(answers.utf8.count < 1_010_000)
            #expect(answers.ranges(of: #""snapshot""#).count == 3)
            #expect(answers.ranges(of: #""limit":"messageBytes""#).count == 7)
            // They were made once for all.
            #expect(snapshots.elements.count == 1)
            client.send(Self.attach("21"))
            #expect(try await client.next().utf8.count > 300_000)
        }
    }

    @Test func `while a client doesn't read what it attached to, no more snapshots are made for it`() async throws {
        var limits = Limits()
        limits.unreadBytes = 500_000
        limits.snapshots = 2
        try await withServer(
            loops: 2, limits: limits, register: { BulkViewModel.register(in: &$0, snapshots: snapshots) }
        ) { server in
            let (owner, slow) = (try await server.connected(), try await server.connected(loop: 1, capacity: 30_000))
            let count = 10
            for view in 1...count {
                owner.send(Self.open(300_000))
                try await owner.expect(Wire.opened("1", view, "key-\(view)", "bulk"))
            }
            slow.pauseReading(true)
            for view in 1...count { slow.send(Self.attach("\(view)", "key-\(view)")) }
            // The first two are made, and the two that take their turns before the first are on their way.
            _ = await snapshots.elements(count: 2)
            for _ in 0..<50 { try await owner.expectNothing() }
            #expect(snapshots.elements.count <= 6)
            slow.pauseReading(false)
            for _ in 1...count { #expect(try await slow.next().utf8.count > 300_000) }
            #expect(snapshots.elements.count == count)
        }
    }
}
