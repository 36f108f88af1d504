import Examples
import Serving
import Sessions
import Stores
import TestSupport
import Testing
import Transport

/// Several servers with one store: a session is on one of them at a time, and goes on at another one.
@Suite(.inTurn, .timeLimit(.minutes(5))) struct SharedStoreTests {
    /// One of the servers.
    private struct Member {
        let server: TestServer
        let journal: Journal

        func end() async {
            await server.core.stopSessions()
            await withCheckedContinuation { done in journal.finish { done.resume() } }
            await server.stop()
        }
    }

    private let store = MemoryStore()
    private let holders = SharedStore.Holders()

    private func member(_ name: String, loops: Int = 1) throws -> Member {
        let journal = try Journal(
            SharedStore(store, holders, name: name), retryDelay: .milliseconds(1), now: { 1_000 })
        return Member(server: try TestServer(loops: loops, journal: journal, keyPrefix: "\(name)-"), journal: journal)
    }

    private static func increment(_ id: String, number: Int) -> String {
        Wire.viewEvent(id, 1, #"{"kind":"increment","by":1}"#, #","number":\#(number)"#)
    }

    private static func count(_ number: Int, _ count: Int) -> String {
        Wire.event(1, number, #"{"kind":"count","value":\#(count)}"#)
    }

    /// A client of a server with a counter, whose answers and events so far it has read.
    private func counting(_ member: Member, _ framing: TestFraming = .lines) async throws -> TestClient {
        let client = try await member.server.connected(framing)
        client.send(Wire.request("1", "session/open", #"{"viewModel":"counter","client":"me"}"#))
        let opened = try await client.next()
        #expect(opened.contains(#""session":1"#))
        try await client.expect(Self.count(1, 0))
        client.send(Self.increment("2", number: 1))
        try await client.expect(Self.count(2, 1), Wire.seq("2", 2))
        return client
    }

    private func attach(_ client: TestClient, _ id: String, since: Int) {
        client.send(
            Wire.request(id, "session/attach", #"{"key":"one-1","since":\#(since),"client":"me"}"#))
    }

    /// Lets a server take what was sent to it, ask its store, and hear the answer.
    private func settle(_ member: Member) async throws {
        try await member.server.turns()
        await withCheckedContinuation { done in member.journal.load(.owner(scene: "")) { _ in done.resume() } }
        try await member.server.turns()
    }

    @Test(arguments: [TestFraming.lines, .webSocket])
    func `of a session that another server has nothing is told any more, and its client is sent away`(
        _ framing: TestFraming
    ) async throws {
        let (one, two) = (try member("one"), try member("two"))
        let client = try await counting(one, framing)
        let other = try await one.server.connected()
        other.send(Wire.open("1", "counter"))
        try await other.expect(Wire.opened("1", 1, "one-2", "counter"), Self.count(1, 0))
        // The first is stopped, and its lease runs out.
        holders.leave("one")
        let next = try await two.server.connected()
        attach(next, "1", since: 1)
        #expect(try await next.next().contains(#""handled":1"#))
        try await next.expect(Self.count(2, 1))
        next.send(Self.increment("2", number: 2))
        try await next.expect(Self.count(3, 2), Wire.seq("2", 3))
        // It goes on, and a client of it has sent the same, and more.
        client.send(Self.increment("3", number: 2), Self.increment("4", number: 3))
        await client.expectEnd()
        await until { one.server.session(withKey: "one-1") == nil }
        try await next.expectNothing()
        #expect(store.scenes.first { $0.header.key == "one-1" }?.sessions[0].turn.newest == 3)
        #expect(one.server.log.elements.contains { $0.contains("a session of it has left this server") })
        other.cut()
        next.cut()
        await one.end()
        await two.end()
    }

    @Test func `a client that comes back to a server that has lost its session gets it when the other one is gone`()
        async throws
    {
        let (one, two) = (try member("one"), try member("two"))
        let client = try await counting(one)
        holders.leave("one")
        let next = try await two.server.connected()
        attach(next, "1", since: 2)
        _ = try await next.next()
        next.send(Self.increment("2", number: 2))
        try await next.expect(Self.count(3, 2), Wire.seq("2", 3))
        // Here it is still in memory, until it is asked for.
        let back = try await one.server.connected()
        attach(back, "1", since: 2)
        back.send(Wire.request("2", "ping"))
        await client.expectEnd()
        await until { one.server.session(withKey: "one-1") == nil }
        await two.end()
        while true {
            try await settle(one)
            if one.server.session(withKey: "one-1") != nil { break }
            one.server.pass(.milliseconds(50))
        }
        // What came behind it may be answered while the session is awaited.
        var messages = [try await back.next(), try await back.next(), try await back.next()]
        messages.removeAll { $0 == Wire.result("2") }
        #expect(messages.count == 2 && messages[0].contains(#""seq":3"#) && messages[1] == Self.count(3, 2))
        back.send(Self.increment("3", number: 3))
        try await back.expect(Self.count(4, 3), Wire.seq("3", 4))
        back.cut()
        await one.end()
    }

    @Test
    func `a session that another server keeps is waited for as long as a lease and a bit, and then is unavailable`()
        async throws
    {
        let (one, two) = (try member("one"), try member("two"))
        let client = try await counting(one)
        let next = try await two.server.connected()
        attach(next, "1", since: 2)
        next.send(Wire.request("2", "ping"))
        try await settle(two)
        let asked = two.journal.counts.loads
        two.server.pass(.seconds(11))
        try await settle(two)
        #expect(two.journal.counts.loads == asked + 1)
        two.server.pass(.seconds(2))
        try await next.expect(Wire.result("2"))
        let error = try await next.expectError(-32016, id: "1")
        #expect(error.contains("the session is on another server, process 7 on one, which didn't answer within"))
        #expect(holders.holder(of: "one-1") == "one")
        client.send(Self.increment("3", number: 2))
        try await client.expect(Self.count(3, 2), Wire.seq("3", 3))
        client.cut()
        next.cut()
        await one.end()
        await two.end()
    }

    @Test func `a session that nobody looks at is given up, and any server goes on with it`() async throws {
        let (one, two) = (try member("one"), try member("two"))
        let client = try await counting(one)
        client.cut()
        await until { one.server.connectionCount == 0 }
        await one.server.pass(.seconds(61)) { one.server.sessionCount == 0 && holders.holder(of: "one-1") == nil }
        for (number, member) in [(2, two), (3, one), (4, two)] {
            let client = try await member.server.connected()
            attach(client, "1", since: number)
            #expect(try await client.next().contains(#""handled":\#(number - 1)"#))
            client.send(Self.increment("2", number: number))
            try await client.expect(Self.count(number + 1, number), Wire.seq("2", number + 1))
            client.cut()
            await until { member.server.connectionCount == 0 }
            await member.server.pass(.seconds(61)) {
                member.server.sessionCount == 0 && holders.holder(of: "one-1") == nil
            }
        }
        await one.end()
        await two.end()
    }

    @Test func `a client that only looks on is sent away, too, when its server notices that its lease had run out`()
        async throws
    {
        let (one, two) = (try member("one"), try member("two"))
        let client = try await counting(one)
        let other = try await one.server.connected()
        other.send(Wire.open("1", "hello"))
        _ = (try await other.next(), try await other.next())
        holders.leave("one")
        let next = try await two.server.connected()
        attach(next, "1", since: 2)
        _ = try await next.next()
        holders.comeBack("one")
        // Its journal has something to do.
        try await settle(one)
        await client.expectEnd()
        try await other.expectNothing()
        try await next.expectNothing()
        other.cut()
        next.cut()
        await one.end()
        await two.end()
    }

    @Test func `a draining server gives its sessions up when their connections are closed`() async throws {
        let (one, two) = (try member("one"), try member("two"))
        let client = try await counting(one)
        await one.server.core.drain()
        await client.expectEnd()
        try await settle(one)
        let next = try await two.server.connected()
        attach(next, "1", since: 1)
        #expect(try await next.next().contains(#""handled":1"#))
        try await next.expect(Self.count(2, 1))
        next.cut()
        await one.end()
        await two.end()
    }

    @Test func `an opening that was made at another server goes on, and a session that is closed there is gone`()
        async throws
    {
        let (one, two) = (try member("one"), try member("two"))
        let open = Wire.request(
            "1", "session/open", #"{"viewModel":"counter","client":"me","once":"00000000000000000000000000000000"}"#)
        let client = try await one.server.connected()
        client.send(open)
        try await client.expect(Wire.opened("1", 1, "one-1", "counter"), Self.count(1, 0))
        holders.leave("one")
        let next = try await two.server.connected()
        next.send(open)
        try await next.expect(Wire.opened("1", 1, "one-1", "counter", epoch: "epoch-1"), Self.count(1, 0))
        next.send(Wire.request("2", "session/close", #"{"session":1}"#))
        try await next.expect(Wire.result("2"))
        #expect(store.scenes.isEmpty)
        // The first has it in memory, and is told by the store.
        let late = try await one.server.connected()
        attach(late, "1", since: 1)
        try await late.expectError(-32012, id: "1")
        await client.expectEnd()
        late.cut()
        next.cut()
        await one.end()
        await two.end()
    }
}
