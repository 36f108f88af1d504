import Serving
import Sessions
import Stores
import Synchronization
import TestSupport
import Testing
import ViewModels

/// View models that are Views of a shared one, with a store: what they send takes effect once.
@Suite(.inTurn, .timeLimit(.minutes(4))) struct SharedLivesTests {
    private static func shown(_ session: Int, _ seq: Int, _ sum: Int) -> String {
        Wire.event(session, seq, #"{"kind":"shown","value":\#(sum)}"#)
    }

    private static func add(_ id: String, _ session: Int, _ addend: Int, _ number: Int) -> String {
        Wire.viewEvent(id, session, #"{"kind":"add","value":\#(addend)}"#, #","number":\#(number)"#)
    }

    private static func open(_ id: String, _ viewModel: String = "screen of sum") -> String {
        Wire.request(id, "session/open", #"{"viewModel":"\#(viewModel)","client":"ada"}"#)
    }

    private static func attach(_ id: String, _ key: String, since: Int) -> String {
        Wire.request(id, "session/attach", #"{"key":"\#(key)","since":\#(since),"client":"ada"}"#)
    }

    @Test func `both go on in a later life, and each event is seen once`() async throws {
        let lives = Lives { registry, _ in SumScreen.register(&registry) }
        let client = try await lives.connect()
        client.send(Self.open("1"))
        try await client.expect(Wire.opened("1", 1, "life-1-1", "screen of sum"), Self.shown(1, 1, 0))
        client.send(Self.add("2", 1, 5, 1))
        try await client.expect(Self.shown(1, 2, 5), Wire.seq("2", 2))
        await lives.end()
        let again = try await lives.connect()
        again.send(Self.attach("1", "life-1-1", since: 0))
        #expect(try await again.next().contains(#""handled":1"#))
        try await again.expect(Self.shown(1, 1, 0), Self.shown(1, 2, 5))
        again.send(Self.add("2", 1, 7, 2), Self.add("3", 1, 5, 1))
        try await again.expect(Wire.seq("3", 2))
        try await again.expect(Self.shown(1, 3, 12), Wire.seq("2", 3))
        await lives.end()
    }

    private static let steps: [ReturningClient.Step] =
        [.open("screen of sum")] + (1...6).map { .send("screen of sum", #"{"kind":"add","value":\#($0)}"#) }

    @Test func `a server that ends at any of its commits, before or after it, is noticed by nobody`() async throws {
        let register = { (registry: inout Registry, _: Int) in SumScreen.register(&registry) }
        let undisturbed = Lives(register: register)
        let expected = try await undisturbed.play(Self.steps)
        let sums = [0, 1, 3, 6, 10, 15, 21].map { #"{ "kind": "shown", "value": \#($0) }"# }
        #expect(expected["screen of sum"]?.sorted { $0.key < $1.key }.map(\.value) == sums)
        let commits = undisturbed.playedCommits
        #expect(undisturbed.count == 1)
        var ended = 0
        for call in 1...commits {
            for fault in [MemoryStore.Fault.endsBefore, .endsAfter] {
                let lives = Lives(register: register)
                lives.store.fail(at: call, fault)
                let told = try await lives.play(Self.steps) { $0["screen of sum"]?.count ?? 0 >= sums.count }
                #expect(told == expected, "with a server that \(fault) commit \(call)")
                ended += lives.count - 1
            }
        }
        #expect(ended > commits, "most servers have ended in the middle")
    }

    /// Sends an event, which the shared one refuses, until it is answered. Returns the answer.
    private func refusal(in lives: Lives) async throws -> String {
        let event = Wire.viewEvent("2", 1, #"{"kind":"refuse","value":"no"}"#, #","number":1"#)
        var key: String?
        while true {
            do {
                let client = try await lives.connect()
                client.send(key.map { Self.attach("1", $0, since: 0) } ?? Self.openOnce("1"), event)
                while true {
                    let message = try await client.next()
                    key = message.firstMatch(of: /"key":"([^"]+)"/).map { String($0.1) } ?? key
                    if message.contains(#""id":2"#) { return message }
                }
            } catch is TestClient.Ended {}
        }
    }

    private static func openOnce(_ id: String) -> String {
        let once = String(repeating: "x", count: 32)
        return Wire.request(
            id, "session/open", #"{"viewModel":"screen of sum","client":"ada","once":"\#(once)"}"#)
    }

    @Test func `whoever asks again is told of the failure, at whichever commit the server ends`() async throws {
        let register = { (registry: inout Registry, _: Int) in SumScreen.register(&registry) }
        let undisturbed = Lives(register: register)
        let expected = try await refusal(in: undisturbed)
        #expect(expected.contains("-32014") && expected.contains(#""message":"no""#))
        let commits = undisturbed.store.commits
        await undisturbed.end()
        for call in 1...commits {
            for fault in [MemoryStore.Fault.endsBefore, .endsAfter] {
                let lives = Lives(register: register)
                lives.store.fail(at: call, fault)
                #expect(try await refusal(in: lives) == expected, "with a server that \(fault) commit \(call)")
                await lives.end()
            }
        }
    }

    @Test func `what a screen sends as it takes itself off is handled`() async throws {
        let lives = Lives { registry, _ in SumScreen.register(&registry) }
        let (watcher, client) = (try await lives.connect(), try await lives.connect())
        watcher.send(Wire.open("1", "sum"))
        _ = try await watcher.next()
        try await watcher.expect(Wire.event(1, 1, #"{"kind":"sum","value":0}"#))
        client.send(Wire.open("1", "asker"), Wire.viewEvent("2", 1, #"{"kind":"ask"}"#))
        while try await !client.next().contains(#""id":2"#) {}
        client.send(Self.attach("3", "life-1-3", since: 0))
        _ = try await client.next()
        client.send(Self.add("4", 2, 5, 1))
        while try await !client.next().contains(#""id":4,"result":{"seq":0}"#) {}
        #expect(try await watcher.next().contains(#""addends""#))
        try await watcher.expect(Wire.event(1, 3, #"{"kind":"sum","value":5}"#))
        await lives.end()
    }

    @Test func `a shared one on another server is seen from there, and goes on where the screen is`() async throws {
        let network = Network(register: SumScreen.register)
        let (here, there) = (try network.member("here").server, try network.member("there").server)
        let (ada, bob) = (try await here.connected(), try await there.connected())
        ada.send(Self.open("1"))
        try await ada.expect(Wire.opened("1", 1, "here-1", "screen of sum"), Self.shown(1, 1, 0))
        bob.send(Wire.open("1", "screen of sum"))
        #expect(try await bob.next().contains(#""key":"there-1""#))
        try await bob.expect(Self.shown(1, 1, 0))
        bob.send(Wire.viewEvent("2", 1, #"{"kind":"add","value":5}"#))
        try await bob.expect(Self.shown(1, 2, 5), Wire.seq("2", 2))
        try await ada.expect(Self.shown(1, 2, 5))
        ada.send(Self.add("2", 1, 7, 1))
        try await ada.expect(Self.shown(1, 3, 12), Wire.seq("2", 3))
        try await bob.expect(Self.shown(1, 3, 12))
        await network.end()
    }
}
