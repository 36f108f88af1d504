import Sessions
import TestSupport
import Testing

/// A store that has lost what it had acknowledged: a number is told twice, for two events, and a client knows by the epoch.
@Suite(.inTurn) struct LostHistoryTests {
    private let lives = Lives()

    private func add(_ id: Int, by amount: Int) -> String {
        Wire.viewEvent("\(id)", 1, #"{"kind":"increment","by":\#(amount)}"#)
    }

    private func count(_ seq: Int, _ value: Int) -> String {
        Wire.event(1, seq, #"{"kind":"count","value":\#(value)}"#)
    }

    private func attach(_ id: Int, _ key: String, since: Int, epoch: String? = nil) -> String {
        let epoch = epoch.map { #","epoch":"\#($0)""# } ?? ""
        return Wire.request("\(id)", "session/attach", #"{"key":"\#(key)","since":\#(since)\#(epoch)}"#)
    }

    /// A counter at number 4 that is 1003, of which the client has seen 3 numbers that are gone: it was 3 at number 4.
    private func losesHistory() async throws -> TestClient {
        try await lives.begin()
        let first = try await lives.connect()
        first.send(Wire.open("1", "counter"), add(2, by: 1))
        while try await first.next() != Wire.result("2", #"{"seq":2}"#) {}
        let stored = lives.store.scenes
        first.send(add(3, by: 1), add(4, by: 1))
        while try await first.next() != Wire.result("4", #"{"seq":4}"#) {}
        await lives.end()
        lives.store.goBack(to: stored)
        try await lives.begin()
        // Another client takes it past the numbers that were lost.
        let second = try await lives.connect()
        second.send(attach(1, "life-1-1", since: 2))
        #expect(try await second.next() == attached(1, seq: 2))
        second.send(add(2, by: 1), add(3, by: 1001))
        #expect(try await second.next() == count(3, 2))
        #expect(try await second.next() == Wire.result("2", #"{"seq":3}"#))
        #expect(try await second.next() == count(4, 1003))
        #expect(try await second.next() == Wire.result("3", #"{"seq":4}"#))
        return try await lives.connect()
    }

    /// A counter's is all of its events.
    private static let snapshot =
        #","snapshot":["#
        + [0, 1, 2, 1003].map { #"{"kind":"count","value":\#($0)}"# }.joined(separator: ",") + "]"

    private func attached(_ id: Int, seq: Int, snapshot: String = "") -> String {
        Wire.result("\(id)", #"{"session":1,"viewModel":"counter","seq":\#(seq),"epoch":"epoch-1"\#(snapshot)}"#)
    }

    @Test func `a client that has seen what was lost gets a snapshot, although its number is there again`() async throws
    {
        let client = try await losesHistory()
        client.send(attach(1, "life-1-1", since: 4, epoch: "1"))
        try await client.expect(attached(1, seq: 4, snapshot: Self.snapshot))
        client.send(add(2, by: 1))
        #expect(try await client.next() == count(5, 1004))
        await lives.end()
    }

    @Test func `a client that has seen more than there is gets a snapshot, and no error`() async throws {
        let client = try await losesHistory()
        client.send(attach(1, "life-1-1", since: 7, epoch: "1"))
        try await client.expect(attached(1, seq: 4, snapshot: Self.snapshot))
        await lives.end()
    }

    @Test func `a client that has seen nothing of what was lost gets what came since`() async throws {
        let client = try await losesHistory()
        client.send(attach(1, "life-1-1", since: 2, epoch: "1"))
        #expect(try await client.next() == attached(1, seq: 4))
        #expect(try await client.next() == count(3, 2))
        #expect(try await client.next() == count(4, 1003))
        await lives.end()
    }

    @Test func `an epoch that nobody knows is answered with a snapshot`() async throws {
        let client = try await losesHistory()
        client.send(attach(1, "life-1-1", since: 4, epoch: "other"))
        #expect(try await client.next().contains("snapshot"))
        await lives.end()
    }

    @Test func `in a history that nothing was lost of, each event comes once over any number of lives`() async throws {
        try await lives.begin()
        var (client, epoch) = (try await lives.connect(), "1")
        client.send(Wire.open("1", "counter"))
        #expect(try await client.next() == Wire.opened("1", 1, "life-1-1", "counter"))
        #expect(try await client.next() == count(1, 0))
        for life in 1...20 {
            client.send(add(2, by: 1))
            #expect(try await client.next() == count(life + 1, life))
            #expect(try await client.next() == Wire.result("2", #"{"seq":\#(life + 1)}"#))
            await lives.end()
            try await lives.begin()
            client = try await lives.connect()
            // It missed the last event.
            client.send(attach(1, "life-1-1", since: life, epoch: epoch))
            epoch = "epoch-\(life)"
            let answer = Wire.result(
                "1", #"{"session":1,"viewModel":"counter","seq":\#(life + 1),"epoch":"\#(epoch)"}"#)
            #expect(try await client.next() == answer)
            #expect(try await client.next() == count(life + 1, life))
        }
        await lives.end()
    }
}
