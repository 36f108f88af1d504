import Examples
import Serving
import Sessions
import Stores
import TestSupport
import Testing

/// Keys with which a session is looked at and nothing else.
@Suite(.inTurn, .timeLimit(.minutes(3))) struct ReadKeyTests {
    private static func key(_ id: String, _ session: Int) -> String {
        Wire.request(id, "session/key", #"{"session":\#(session),"access":"read"}"#)
    }

    private static func attach(_ id: String, _ key: String, _ more: String = "") -> String {
        Wire.request(id, "session/attach", #"{"key":"\#(key)"\#(more)}"#)
    }

    /// The client's answer to a request for a key, or to an attachment, is the next that has this id.
    private func answer(_ client: TestClient, _ id: String) async throws -> String {
        while true {
            let message = try await client.next()
            if message.contains(#""id":\#(id),"#) { return message }
        }
    }

    private func givenKey(_ client: TestClient, _ session: Int) async throws -> String {
        client.send(Self.key("90", session))
        let answer = try await answer(client, "90")
        return try #require(answer.firstMatch(of: /"key":"([^"]+)"/)).1.description
    }

    /// The key of a child, by what a client was told of it.
    private func childKey(_ message: String) throws -> String {
        try #require(message.firstMatch(of: /"viewModel":"orderDetails","key":"([^"]+)"/)).1.description
    }

    @Test func `the same key is given each time, also to two who ask at once`() async throws {
        try await withServer { server in
            let (ada, bob) = (try await server.connected(), try await server.connected())
            ada.send(Wire.open("1", "counter"), Self.key("2", 1))
            _ = try await answer(ada, "2")
            bob.send(Wire.attach("1", "key-1"), Self.key("2", 1))
            try await #expect(givenKey(ada, 1) == "key-2")
            try await #expect(givenKey(bob, 1) == "key-2")
        }
    }

    @Test func `a reader with the name of another client ends nobody's view, and numbers nothing`() async throws {
        try await withServer { server in
            let (ada, reader) = (try await server.connected(), try await server.connected())
            ada.send(Wire.request("1", "session/open", #"{"viewModel":"counter","client":"ada"}"#))
            _ = try await answer(ada, "1")
            let key = try await givenKey(ada, 1)
            reader.send(Self.attach("1", key, #","client":"ada""#))
            try await #expect(!answer(reader, "1").contains("handled"))
            ada.send(Wire.viewEvent("3", 1, #"{"kind":"increment","by":1}"#, #","number":1"#))
            try await #expect(answer(ada, "3") == Wire.seq("3", 2))
            reader.send(Wire.viewEvent("2", 1, #"{"kind":"increment","by":1}"#, #","number":2"#))
            _ = try await reader.next()
            _ = try await reader.expectError(-32017, id: "2")
        }
    }

    @Test func `a reader who leaves ends nothing, whatever it asks for`() async throws {
        try await withServer { server in
            let (ada, reader) = (try await server.connected(), try await server.connected())
            ada.send(Wire.open("1", "counter"))
            let key = try await givenKey(ada, 1)
            reader.send(Self.attach("1", key))
            _ = try await answer(reader, "1")
            ada.send(Wire.request("3", "session/detach", #"{"session":1}"#))
            _ = try await answer(ada, "3")
            reader.send(Wire.request("2", "session/close", #"{"session":1}"#))
            _ = try await reader.expectError(-32017, id: "2")
            reader.send(Wire.request("3", "shutdown"))
            _ = try await answer(reader, "3")
            ada.send(Wire.attach("4", "key-1"))
            try await #expect(answer(ada, "4").contains(#""result""#))
        }
    }

    @Test func `what is on the session is told to a reader by keys that only let it look`() async throws {
        try await withServer { server in
            let (ada, reader) = (try await server.connected(), try await server.connected())
            ada.send(
                Wire.open("1", "orders", #"{"count":3,"delay":0}"#), Wire.viewEvent("2", 1, #"{"kind":"loadOrders"}"#),
                Wire.viewEvent("3", 1, #"{"kind":"selectOrder","index":1}"#))
            _ = try await answer(ada, "3")
            let key = try await givenKey(ada, 1)
            reader.send(Self.attach("1", key))
            let child = try childKey(try await answer(reader, "1"))
            #expect(child != "key-2" && child.hasPrefix(key))
            reader.send(Self.attach("2", child))
            try await #expect(answer(reader, "2").contains(#""access":"read""#))
            reader.send(Wire.viewEvent("3", 2, #"{"kind":"cancelOrder"}"#))
            while try await !reader.next().contains(#""id":3,"error":{"code":-32017"#) {}
            // It goes with the child, and is nobody else's.
            ada.send(Self.attach("5", "key-2"), Wire.request("6", "navigation/back", #"{"session":2}"#))
            _ = try await answer(ada, "6")
            while try await !reader.next().contains(#""method":"navigation/pop","params":{"session":1"#) {}
            let late = try await server.connected()
            late.send(Self.attach("1", child))
            _ = try await late.expectError(-32012, id: "1")
            late.send(Self.attach("2", key + "AAAAAAAA"), Self.attach("3", String(child.dropLast())))
            _ = try await late.expectError(-32012, id: "2")
            _ = try await late.expectError(-32012, id: "3")
        }
    }

    @Test func `a key goes with its session`() async throws {
        try await withServer { server in
            let (ada, reader) = (try await server.connected(), try await server.connected())
            ada.send(Wire.open("1", "counter"))
            let key = try await givenKey(ada, 1)
            ada.send(Wire.request("3", "session/close", #"{"session":1}"#))
            _ = try await answer(ada, "3")
            reader.send(Self.attach("1", key))
            _ = try await reader.expectError(-32012, id: "1")
        }
    }

    @Test(arguments: [false, true])
    func `a key is good in a later life, of a session and of what is on it`(_ beginsWithChild: Bool) async throws {
        let lives = Lives()
        let ada = try await lives.beginWithDetails()
        let key = try await givenKey(ada, 1)
        let reader = try #require(try await lives.server?.connected())
        reader.send(Self.attach("1", key))
        let child = try childKey(try await answer(reader, "1"))
        await lives.end()
        let late = try await lives.connect()
        for key in beginsWithChild ? [child, key] : [key, child] {
            late.send(Self.attach("1", key))
            try await #expect(answer(late, "1").contains(#""access":"read""#))
        }
        late.send(Wire.viewEvent("2", 1, #"{"kind":"loadOrders"}"#))
        while try await !late.next().contains(#""id":2,"error":{"code":-32017"#) {}
        let again = try #require(try await lives.server?.connected())
        again.send(Wire.attach("1", "life-1-1"))
        _ = try await answer(again, "1")
        try await #expect(givenKey(again, 1) == key)
        await lives.end()
    }

    @Test func `a key that can't be stored isn't given`() async throws {
        let lives = Lives()
        let ada = try await lives.beginWithDetails()
        lives.store.fail(at: 1, .isAway)
        // The first one finds the store away; those that come later know that.
        ada.send(Self.key("9", 1))
        while lives.journal?.failure == nil { await Task.yield() }
        ada.send(Self.key("10", 1))
        while try await !ada.next().contains(#""id":10,"error":{"code":-32016"#) {}
        lives.store.mend()
        try await #expect(answer(ada, "9").contains(#""key":"life-1-"#))
        await lives.end()
    }

    @Test func `a reader of a session on another server is one there, too`() async throws {
        let network = Network()
        let (first, second) = (try network.member("a"), try network.member("b"))
        let (ada, reader) = (try await first.server.connected(), try await second.server.connected())
        ada.send(
            Wire.open("1", "orders", #"{"count":3,"delay":0}"#), Wire.viewEvent("2", 1, #"{"kind":"loadOrders"}"#),
            Wire.viewEvent("3", 1, #"{"kind":"selectOrder","index":1}"#))
        _ = try await answer(ada, "3")
        let key = try await givenKey(ada, 1)
        reader.send(Self.attach("1", key))
        let child = try childKey(try await answer(reader, "1"))
        reader.send(Self.attach("2", child))
        try await #expect(answer(reader, "2").contains(#""access":"read""#))
        reader.send(Wire.viewEvent("3", 2, #"{"kind":"cancelOrder"}"#), Self.key("4", 2))
        while try await !reader.next().contains(#""id":3,"error":{"code":-32017"#) {}
        try await #expect(answer(reader, "4").contains(#""key":"\#(child)""#))
        await network.end()
    }
}
