import Examples
import Serving
import Sessions
import Stores
import Synchronization
import TestSupport
import Testing
import Transport

/// Clients that come to another server than the one that has their session.
@Suite(.inTurn, .timeLimit(.minutes(5))) struct RemoteViewsTests {
    private let network = Network()

    private static func increment(_ id: String, _ session: Int, number: Int) -> String {
        Wire.viewEvent(id, session, #"{"kind":"increment","by":1}"#, #","number":\#(number)"#)
    }

    private static func count(_ session: Int, _ number: Int, _ count: Int) -> String {
        Wire.event(session, number, #"{"kind":"count","value":\#(count)}"#)
    }

    private func attach(_ client: TestClient, _ id: String, _ key: String, as name: String = "me", since: Int = 1) {
        client.send(Wire.request(id, "session/attach", #"{"key":"\#(key)","since":\#(since),"client":"\#(name)"}"#))
    }

    /// A client of "far" that holds a counter with the key "far-1", and one of "near" that has attached to it as its view 1.
    private func clients() async throws -> (far: TestClient, near: TestClient) {
        let far = try await network.member("far").server.connected()
        far.send(Wire.request("1", "session/open", #"{"viewModel":"counter","client":"other"}"#))
        #expect(try await far.next().contains(#""key":"far-1""#))
        try await far.expect(Self.count(1, 1, 0))
        let near = try await network.member("near").server.connected()
        attach(near, "1", "far-1")
        #expect(try await near.next() == Wire.attached("1", 1, "counter", seq: 1, snapshot: nil, handled: 0))
        return (far, near)
    }

    private func end(_ clients: TestClient...) async {
        for client in clients { client.cut() }
        await network.end()
    }

    @Test func `events of all clients are numbered together, and an answer follows its events`() async throws {
        let (far, near) = try await clients()
        near.send(Self.increment("2", 1, number: 1))
        try await near.expect(Self.count(1, 2, 1), Wire.seq("2", 2))
        try await far.expect(Self.count(1, 2, 1))
        far.send(Self.increment("2", 1, number: 1))
        try await far.expect(Self.count(1, 3, 2), Wire.seq("2", 3))
        try await near.expect(Self.count(1, 3, 2))
        // Sent again, as after a cut.
        near.send(Self.increment("3", 1, number: 1))
        try await near.expect(Wire.seq("3", 3))
        #expect(try network.member("near").server.core.relays.views == 1)
        await end(far, near)
    }

    @Test func `an integer that is written as a fraction names a view wherever its session is`() async throws {
        let (far, near) = try await clients()
        let event = Self.increment("2", 1, number: 1).replacing(#""session":1"#, with: #""session":1.0"#)
        for client in [near, far] {
            client.send(event)
            while try await !client.next().contains(#""id":2,"result""#) {}
        }
        near.send(Wire.request("3", "session/detach", #"{"session":1e0}"#))
        while try await near.next() != Wire.result("3") {}
        await end(far, near)
    }

    @Test func `a client's views are numbered and listed in their order, wherever their sessions are`() async throws {
        let (far, near) = try await clients()
        near.send(Wire.open("2", "counter"))
        try await near.expect(Wire.opened("2", 2, "near-1", "counter"), Self.count(2, 1, 0))
        attach(near, "3", "far-1", as: "it")
        #expect(try await near.next().contains(#""session":3"#))
        near.send(Wire.request("4", "session/list"))
        let list = try await near.next()
        #expect(list.matches(of: /"session":([0-9]+)/).map { String($0.1) } == ["1", "2", "3"])
        #expect(list.matches(of: /"key":"([^"]+)"/).map { String($0.1) } == ["far-1", "near-1", "far-1"])
        #expect(
            list.matches(of: /"server":"process 7 on ([a-z]+)"/).map { String($0.1) } == ["far", "near", "far"])
        near.send(Wire.request("5", "session/detach", #"{"session":1}"#))
        try await near.expect(Wire.result("5"))
        near.send(Self.increment("6", 1, number: 1))
        try await near.expectError(-32012, id: "6")
        near.send(Wire.request("7", "session/list"))
        #expect(try await near.next().matches(of: /"session":([0-9]+)/).map { String($0.1) } == ["2", "3"])
        await end(far, near)
    }

    @Test func `a batch is answered whole, and what follows an attachment in it comes behind it`() async throws {
        let far = try await network.member("far").server.connected()
        far.send(Wire.open("1", "counter"))
        try await far.expect(Wire.opened("1", 1, "far-1", "counter"), Self.count(1, 1, 0))
        let near = try await network.member("near").server.connected()
        let attach = Wire.request("1", "session/attach", #"{"key":"far-1","client":"me"}"#)
        near.send("[\(attach),\(Self.increment("2", 1, number: 1)),\(Wire.request("3", "ping"))]")
        let answers = try await near.next()
        #expect(answers.hasPrefix("[") && answers.hasSuffix("]"))
        for id in 1...3 { #expect(answers.contains(#""id":\#(id),"result""#), "\(answers)") }
        try await near.expect(Self.count(1, 2, 1))
        await end(far, near)
    }

    @Test func `a handler at the other server is cancelled`() async throws {
        let far = try await network.member("far").server.connected()
        far.send(Wire.open("1", "orders", #"{"delay":3600}"#))
        try await far.expect(Wire.opened("1", 1, "far-1", "orders"))
        let near = try await network.member("near").server.connected()
        attach(near, "1", "far-1", since: 0)
        #expect(try await near.next().contains(#""session":1"#))
        near.send(Wire.viewEvent("2", 1, #"{"kind":"loadOrders"}"#))
        near.send(Wire.request("3", "ping"))
        try await near.expect(Wire.result("3"))
        near.send(Wire.notification("$/cancelRequest", #"{"id":2}"#))
        // What the handler has sent is told when it is stored.
        var messages = [try await near.next(), try await near.next()]
        let last = try await near.next()
        messages.append(last)
        #expect(last.contains(#""code":-32800"#) && last.contains(#""id":2"#), "\(messages)")
        await end(far, near)
    }

    @Test func `a client is sent away when the other server is lost, and goes on elsewhere`() async throws {
        let (far, near) = try await clients()
        near.send(Self.increment("2", 1, number: 1))
        try await near.expect(Self.count(1, 2, 1), Wire.seq("2", 2))
        network.cutLinks()
        await near.expectEnd()
        far.cut()
        let back = try await network.member("near").server.connected()
        attach(back, "1", "far-1")
        // Its lease has run out.
        network.holders.leave("far")
        try await network.untilOwned("far-1", by: "near")
        let answer = try await back.next()
        #expect(answer.contains(#""viewModel":"counter","seq":2,"epoch":"epoch-"#) && answer.contains(#""handled":1"#))
        try await back.expect(Self.count(1, 2, 1))
        back.send(Self.increment("2", 1, number: 2))
        try await back.expect(Self.count(1, 3, 2), Wire.seq("2", 3))
        await end(back)
    }

    @Test func `a client is sent away when the other server is without its store for longer than its lease`()
        async throws
    {
        let (far, near) = try await clients()
        network.holders.cutOff("far")
        near.send(Self.increment("2", 1, number: 1))
        let farMember = try network.member("far")
        await until { farMember.journal.failure != nil }
        // The lease of these stores is ten seconds.
        for _ in 0..<21 {
            farMember.server.pass(.milliseconds(500))
            try await farMember.server.turns()
        }
        await near.expectEnd()
        network.holders.leave("far")
        let back = try await network.member("near").server.connected()
        attach(back, "1", "far-1")
        try await network.untilOwned("far-1", by: "near")
        #expect(try await back.next().contains(#""viewModel":"counter","seq":1,"epoch":"epoch-"#))
        back.send(Self.increment("2", 1, number: 1))
        try await back.expect(Self.count(1, 2, 1), Wire.seq("2", 2))
        network.holders.reconnect("far")
        await far.expectEnd()
        await end(back)
    }

    @Test func `a session that nobody looks at moves to the server that is asked for it`() async throws {
        let far = try await network.member("far").server.connected()
        far.send(Wire.open("1", "counter"))
        try await far.expect(Wire.opened("1", 1, "far-1", "counter"), Self.count(1, 1, 0))
        far.cut()
        let farServer = try network.member("far").server
        await until { farServer.connectionCount == 0 }
        // Its view model is told that nobody looks. While it works, it stays.
        try await network.settle("far")
        let near = try await network.member("near").server.connected()
        attach(near, "1", "far-1")
        // One that is asked for again before it is given up stays there, and its view is relayed.
        await until { network.holders.holder(of: "far-1") == nil }
        try await network.untilOwned("far-1", by: "near")
        #expect(try await near.next().contains(#""session":1"#))
        near.send(Self.increment("2", 1, number: 1))
        try await near.expect(Self.count(1, 2, 1), Wire.seq("2", 2))
        #expect(farServer.sessionCount == 0 && farServer.core.relays.moved == 1)
        #expect(try network.member("near").server.core.relays.views == 0)
        await end(near)
    }
}
