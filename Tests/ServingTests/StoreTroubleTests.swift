import Serving
import Sessions
import Stores
import TestSupport
import Testing

/// The clients of a server whose store can't be used for a while.
@Suite(.inTurn, .timeLimit(.minutes(2))) struct StoreTroubleTests {
    @Test func `a ping says that the store is away, to those who may wait for it`() async throws {
        let lives = Lives()
        try await lives.begin()
        let server = try #require(lives.server)
        let (durable, other, new) = (
            try await server.connected(), try await server.connected(), try await server.connected()
        )
        durable.send(Wire.open("1", "counter"))
        try await skip(to: #""id":1"#, durable)
        other.send(Wire.open("1", "hello"))
        try await skip(to: #""id":1"#, other)
        lives.store.fail(at: 1, .isAway)
        durable.send(Wire.viewEvent("2", 1, #"{"kind":"increment","by":1}"#))
        await until { lives.journal?.failure != nil }
        let reason = lives.journal?.failure?.reason
        for client in [durable, other, new] { client.send(Wire.request("3", "ping")) }
        #expect(try await skip(to: #""id":3"#, durable) == Wire.storeTrouble("3", reason))
        #expect(try await skip(to: #""id":3"#, other) == Wire.result("3"))
        // It may open a session that is stored.
        #expect(try await skip(to: #""id":3"#, new) == Wire.storeTrouble("3", reason))
        lives.store.mend()
        try await skip(to: #""id":2"#, durable)
        durable.send(Wire.request("4", "ping"))
        #expect(try await skip(to: #""id":4"#, durable) == Wire.result("4"))
        await lives.end()
    }

    @Test func `who attaches to a state that can't be stored now is told so at once, and gets what is stored`()
        async throws
    {
        let lives = Lives()
        try await lives.begin()
        let server = try #require(lives.server)
        let (client, late) = (try await server.connected(), try await server.connected())
        client.send(Wire.open("1", "counter"))
        try await skip(to: #""seq":1"#, client)
        lives.store.fail(at: 1, .isAway)
        late.send(Wire.attach("1", "life-1-1"))
        #expect(try await skip(to: #""id":1"#, late).contains(#""snapshot""#))
        client.send(Wire.viewEvent("2", 1, #"{"kind":"increment","by":1}"#))
        await until { lives.journal?.failure != nil }
        let new = try await server.connected()
        new.send(Wire.attach("1", "life-1-1"))
        try await new.expectError(-32016, id: "1")
        new.send(Wire.attach("2", "life-1-1", since: 1))
        // The number of the view that was refused is free again.
        #expect(try await skip(to: #""id":2"#, new).contains(#""session":1,"viewModel":"counter","seq":1"#))
        lives.store.mend()
        let last = try await server.connected()
        try await skip(to: #""id":2"#, client)
        last.send(Wire.attach("3", "life-1-1"))
        #expect(try await skip(to: #""id":3"#, last).contains(#""snapshot""#))
        await lives.end()
    }

    @discardableResult private func skip(to part: String, _ client: TestClient) async throws -> String {
        while true {
            let line = try await client.next()
            if line.contains(part) { return line }
        }
    }
}
