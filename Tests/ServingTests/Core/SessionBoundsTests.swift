import JSON
import Sessions
import TestSupport
import Testing

@Suite(.inTurn, .timeLimit(.minutes(4)))
struct SessionBoundsTests {
    /// A server whose one client has opened sessions and left.
    private func withAbandoned(
        _ count: Int, limits: Limits, _ body: (TestServer, TestClient) async throws -> Void
    ) async throws {
        try await withServer(limits: limits) { server in
            let (leaving, staying) = (try await server.connected(), try await server.connected())
            for view in 1...count {
                leaving.send(Wire.open("1", "probe"))
                try await leaving.expect(Wire.opened("1", view, "key-\(view)", "probe"))
                leaving.send(Wire.viewEvent("2", view, #"{"kind":"emitBytes","value":20000}"#))
                _ = (try await leaving.next(), try await leaving.next())
            }
            leaving.cut()
            await until { (1...count).allSatisfy { server.session(withKey: "key-\($0)")?.isAbandoned == true } }
            try await body(server, staying)
        }
    }

    @Test(arguments: ["hostedSessions", "addressSessions"])
    func `when all is full, the session that was left first gives way to a new one`(limit: String) async throws {
        var limits = Limits()
        if limit == "hostedSessions" { limits.hostedSessions = 3 } else { limits.addressSessions = 3 }
        try await withAbandoned(3, limits: limits) { server, client in
            for view in 1...3 {
                client.send(Wire.open("1", "probe"))
                try await client.expect(Wire.opened("1", view, "key-\(3 + view)", "probe"))
                #expect(server.session(withKey: "key-\(view)") == nil)
            }
            // Nobody gives way who is being looked at.
            client.send(Wire.open("1", "probe"))
            #expect(try await client.expectError(-32015, id: "1").contains(#""limit":"\#(limit)","retryAfterMs":1000"#))
            #expect(server.abandonedEnded == 3)
            #expect(server.log.elements.contains { $0.contains("gave way") && $0.contains(limit) })
        }
    }

    @Test func `sessions without views give way when all sessions together keep too much`() async throws {
        var limits = Limits()
        limits.keptBytes = 60_000
        try await withAbandoned(2, limits: limits) { server, client in
            #expect(server.keptBytes > 40_000)
            client.send(Wire.open("1", "probe"))
            try await client.expect(Wire.opened("1", 1, "key-3", "probe"))
            client.send(Wire.viewEvent("2", 1, #"{"kind":"emitBytes","value":20000}"#))
            _ = (try await client.next(), try await client.next())
            await until { server.keptBytes <= 60_000 }
            #expect(server.session(withKey: "key-1") == nil)
            #expect(server.session(withKey: "key-3") != nil)
        }
    }

    @Test func `sessions that were left hold so much of one address, with what their view models took`() async throws {
        var limits = Limits()
        limits.abandonedBytes = 100_000
        try await withServer(limits: limits) { server in
            let staying = try await server.connected()
            staying.send(Wire.open("1", "probe"))
            try await staying.expect(Wire.opened("1", 1, "key-1", "probe"))
            let taken = String(repeating: "x", count: 40_000)
            for key in 2...5 {
                let leaving = try await server.connected()
                leaving.send(Wire.open("1", "probe"))
                try await leaving.expect(Wire.opened("1", 1, "key-\(key)", "probe"))
                leaving.send(Wire.viewEvent("2", 1, #"{"kind":"emit","count":1,"rest":"\#(taken)"}"#))
                _ = (try await leaving.next(), try await leaving.next())
                leaving.cut()
                await until { server.session(withKey: "key-\(key)")?.isAbandoned == true }
            }
            // Those that were left last, and the one with a view.
            await until { server.abandonedEnded == 2 }
            let left = (1...5).filter { server.session(withKey: "key-\($0)") != nil }
            #expect(left == [1, 4, 5])
            #expect((70_000...100_000).contains(server.abandonedBytes))
            #expect(server.log.elements.contains { $0.contains("gave way (abandonedBytes)") })
            // One alone that holds more goes alone, also where its client took it up again before.
            staying.send(Wire.viewEvent("2", 1, #"{"kind":"emit","count":1,"rest":"\#(taken)\#(taken)\#(taken)"}"#))
            _ = (try await staying.next(), try await staying.next())
            staying.cut()
            await until { server.session(withKey: "key-1") == nil }
            #expect(server.session(withKey: "key-4") != nil && server.session(withKey: "key-5") != nil)
        }
    }

    @Test func `a session that has ended keeps nothing`() async throws {
        try await withServer { server in
            let client = try await server.connected()
            client.send(Wire.open("1", "probe"), Wire.viewEvent("2", 1, #"{"kind":"emitBytes","value":20000}"#))
            for _ in 0..<3 { _ = try await client.next() }
            #expect(server.keptBytes > 20_000)
            client.send(Wire.request("3", "session/close", #"{"session":1}"#))
            try await client.expect(Wire.result("3"))
            await until { server.keptBytes == 0 }
        }
    }

    @Test func `one connection too many is closed with an error that says so`() async throws {
        var limits = Limits()
        limits.connections = 1
        try await withServer(limits: limits) { server in
            let first = try await server.connected()
            let second = await server.connect(isProcess: false)
            #expect(try await second.expectError(-32015, id: "null").contains(#""limit":"connections""#))
            await #expect(throws: TestClient.Ended.self) { try await second.next() }
            try await first.expectNothing()
        }
    }
}
