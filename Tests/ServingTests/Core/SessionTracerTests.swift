import TestSupport
import Testing

@Suite(.inTurn, .timeLimit(.minutes(4)))
struct SessionTracerTests {
    /// The lines about sessions, without their times.
    private func lines(_ server: TestServer) -> [String] {
        server.log.elements.filter { $0.contains("#") }.map { $0.replacing(#/\d+\.\d{3} ms/#, with: "TIME") }
    }

    @Test func `at debug the log has each session's opening and end, and each view event with its outcome`()
        async throws
    {
        try await withServer { server in
            let client = try await server.connected()
            client.send(
                Wire.open("1", "probe"), Wire.viewEvent("2", 1, #"{"kind":"emit","count":1}"#),
                Wire.viewEvent("3", 1, #"{"kind":"fail","message":"no"}"#))
            try await client.expect(
                Wire.opened("1", 1, "key-1", "probe"), Wire.one(1, 1, 0), Wire.result("2", #"{"seq":1}"#))
            try await client.expectError(-32014, id: "3")
            client.send(Wire.request("4", "session/close", #"{"session":1}"#))
            try await client.expect(Wire.result("4"))
            #expect(
                lines(server) == [
                    "debug: probe#1 opened", "debug: probe#1 made and started: done, TIME",
                    "debug: probe#1.emit: done, TIME", "debug: probe#1.fail: failed: no, TIME",
                    "debug: probe#1 ended: closed, after 1 events",
                ])
            #expect(!server.log.elements.contains { $0.contains("key-1") })
        }
    }

    @Test func `an event that is cancelled is logged, whether it ran or waited`() async throws {
        try await withServer { server in
            let client = try await server.connected()
            let hold = Hold.named("traced")
            client.send(
                Wire.open("1", "probe", #"{"hold":"traced"}"#), Wire.viewEvent("2", 1, #"{"kind":"wait"}"#),
                Wire.viewEvent("3", 1, #"{"kind":"emit","count":1}"#), CancelRequestTests.cancel("3", likeVim: true))
            try await client.expect(Wire.opened("1", 1, "key-1", "probe"), Wire.one(1, 1, -1))
            try await client.expectError(-32800, id: "3")
            client.send(CancelRequestTests.cancel("2", likeVim: true), Wire.request("4", "ping"))
            try await client.expect(Wire.result("4"))
            hold.gate.open()
            try await client.expectError(-32800, id: "2")
            await until { lines(server).count == 4 }
            #expect(
                lines(server).dropFirst(2).map { $0.prefix { $0 != "(" } } == [
                    "debug: probe#1.emit: not handled: refused or cancelled before, or its session ended",
                    "debug: probe#1.wait: cancelled ",
                ])
        }
    }
}
