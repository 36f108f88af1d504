import Serving
import Sessions
import Synchronization
import TestSupport
import Testing
import Transport

@Suite(.inTurn, .timeLimit(.minutes(4))) struct MemoryShareTests {
    private final class FakeMemory: Sendable {
        private let state = Mutex((used: 0, looks: 0))

        func allocate(_ bytes: Int) { state.withLock { $0.used = bytes } }

        func look() -> ProcessMemory {
            state.withLock { state in
                state.looks += 1
                return ProcessMemory(usedBytes: state.used, unusedBytes: 0)
            }
        }

        var lookCount: Int { state.withLock { $0.looks } }
    }

    private let memory = FakeMemory()
    private let clock = ManualClock()

    /// A server on a process of which the test says what it has allocated, and where memory runs short beyond 500 bytes.
    private func serving(_ body: (TestServer) async throws -> Void) async throws {
        var limits = Limits()
        (limits.memoryBytes, limits.addressBytes) = (1_000, 100_000)
        let tokens = try Tokens(file: "ada \(Self.token(of: "ada"))\nbob \(Self.token(of: "bob"))\n")
        try await withServer(limits: limits, tokens: tokens) { server in
            server.core.sessions.watchMemory(
                MemoryWatch(
                    memoryBytes: limits.memoryBytes, unusedBytes: .max, clock: clock,
                    process: .init(memory: { [memory] in memory.look() }, processorSeconds: { 0 }, trim: {})))
            try await body(server)
        }
    }

    private static func token(of name: String) -> String { "the-token-of-\(name)-0" }

    /// Somebody who has logged in, and opened a session.
    private func opened(_ name: String, _ key: String, to server: TestServer) async throws -> TestClient {
        let client = await server.connect()
        client.send(Wire.request("0", "initialize", #"{"token":"\#(Self.token(of: name))"}"#), Wire.open("1", "probe"))
        #expect(try await client.next().contains(#""id":0,"result""#))
        try await client.expect(Wire.opened("1", 1, key, "probe"))
        return client
    }

    /// The server takes it, and looks at its memory some time after it.
    private func take(_ id: String, _ bytes: Int, _ client: TestClient) async throws {
        client.send(Self.event(id, bytes))
        while try await !client.next().hasPrefix(#"{"jsonrpc":"2.0","id":\#(id),"result""#) {}
    }

    private static func event(_ id: String, _ bytes: Int) -> String {
        Wire.viewEvent(id, 1, #"{"kind":"emit","count":1,"rest":"\#(String(repeating: "x", count: bytes))"}"#)
    }

    /// Lets it look until the condition holds.
    private func look(until condition: () -> Bool) async {
        await until {
            clock.advance(by: .seconds(1))
            return condition()
        }
    }

    private static func isWarned(_ server: TestServer) -> Bool {
        server.log.elements.contains {
            $0.contains("opened by principal ada hold more than 100000 bytes while memory runs short (addressBytes)")
        }
    }

    @Test func `while memory runs short who holds more than a share takes no more, and others do`() async throws {
        try await serving { server in
            let ada = try await opened("ada", "key-1", to: server)
            let bob = try await opened("bob", "key-2", to: server)
            memory.allocate(600)
            try await take("2", 1_100_000, ada)
            await look { Self.isWarned(server) }
            ada.send(Self.event("3", 1), Wire.open("4", "probe"))
            for id in ["3", "4"] {
                let error = try await ada.expectError(-32015, id: id)
                #expect(error.contains(#""limit":"addressBytes","retryAfterMs":1000"#), "\(error)")
                #expect(error.contains("your sessions hold more than 100000 bytes of it; close some"), "\(error)")
            }
            try await take("2", 50_000, bob)
            bob.send(Wire.open("3", "probe"))
            try await bob.expect(Wire.opened("3", 2, "key-3", "probe"))

            ada.send(Wire.request("5", "session/close", #"{"session":1}"#))
            try await ada.expect(Wire.result("5"))
            await look { server.session(withKey: "key-1") == nil && !server.core.sessions.hasOwnersAboveShare }
            ada.send(Wire.open("6", "probe"))
            try await ada.expect(Wire.opened("6", 2, "key-4", "probe"))
        }
    }

    @Test func `memory that isn't short is anybody's`() async throws {
        try await serving { server in
            let ada = try await opened("ada", "key-1", to: server)
            _ = try await opened("bob", "key-2", to: server)
            memory.allocate(600)
            try await take("2", 1_100_000, ada)
            await look { Self.isWarned(server) }
            memory.allocate(400)
            // It isn't looked at by itself, but for one who asks.
            ada.send(Self.event("3", 1))
            _ = try await ada.expectError(-32015, id: "3")
            await look { !server.core.sessions.hasOwnersAboveShare }
            try await take("4", 1_100_000, ada)
        }
    }

    @Test func `who is alone keeps nobody out, and takes what there is`() async throws {
        try await serving { server in
            let ada = try await opened("ada", "key-1", to: server)
            memory.allocate(600)
            try await take("2", 1_100_000, ada)
            let before = memory.lookCount
            await look { memory.lookCount > before && clock.sleeperCount == 0 }
            try await take("3", 1_100_000, ada)
            #expect(!Self.isWarned(server))
            let bob = try await opened("bob", "key-2", to: server)
            try await take("2", 1_100_000, bob)
            await look { Self.isWarned(server) }
        }
    }
}
