import Sessions
import TestSupport
import Testing
import Transport

@testable import Serving

/// What a relay holds is bounded, whichever of its sides doesn't read, and what is passed in pieces arrives as it was.
@Suite(.inTurn, .timeLimit(.minutes(4))) struct RelayBoundsTests {
    private let processes = FarSide()

    /// A client whose process has answered `initialize`.
    private func client(
        _ framing: TestFraming = .lines, of server: TestServer, number: Int = 1
    ) async throws -> TestClient {
        let client = await server.connect(framing)
        // So that nobody expects what a true answer to it has.
        client.send(bytes: framing.frame(Wire.request("1", "initialize")))
        await until { processes.received.elements.count == number }
        let answer = Wire.result("1")
        await processes.send(TestFraming.headers.frame(answer), on: number - 1)
        #expect(try await client.next() == answer)
        return client
    }

    private func event(_ count: Int) -> String {
        let long = String(repeating: "\\\"", count: count / 2)
        let params = #"{"session":1,"seq":1,"event":{"kind":"\#(long)"}}"#
        return #"{"jsonrpc":"2.0","method":"viewModel/event","params":\#(params)}"#
    }

    /// Lets everything arrive that isn't held back.
    private func settle(_ server: TestServer) async throws {
        for _ in 0..<50 { try await server.turns() }
    }

    @Test(arguments: TestFraming.allCases)
    func `a long message waits in its process while the client doesn't read, and comes whole`(
        _ framing: TestFraming
    ) async throws {
        try await withServer(farSide: processes) { server in
            let client = try await client(framing, of: server)
            client.pauseReading(true)
            try await server.turns()
            let event = event(1 << 20)
            await processes.send(TestFraming.headers.frame(event))
            try await settle(server)
            let left = await processes.with { $0.unsentByteCount }
            #expect(left > event.utf8.count - 512 << 10)
            client.pauseReading(false)
            #expect(try await client.next() == event)
            #expect(await processes.with { $0.unsentByteCount } == 0)
            await processes.send(TestFraming.headers.frame(event))
            #expect(try await client.next() == event)
        }
    }

    @Test func `what the server itself says comes behind the message that passes`() async throws {
        try await withServer(farSide: processes) { server in
            let client = try await client(.headers, of: server)
            let event = event(200_000)
            let bytes = TestFraming.headers.frame(event)
            await processes.send(bytes[..<100_000])
            client.send(bytes: Array("Content-Length: 2\r\nContent-Type: a/b; charset=latin1\r\n\r\n{}".utf8))
            try await settle(server)
            await processes.send(bytes[100_000...])
            #expect(try await client.next() == event)
            try await client.expectError(-32700, id: "null")
            // It goes on both ways.
            client.send(Wire.request("2", "ping"))
            await until { processes.received.elements.last == Wire.request("2", "ping") }
        }
    }

    @Test(arguments: [TestFraming.lines, .headers])
    func `a client is cut off in the middle of a message whose rest is lost`(_ framing: TestFraming) async throws {
        try await withServer(farSide: processes) { server in
            let client = try await client(framing, of: server)
            await processes.send(TestFraming.headers.frame(event(200_000))[..<100_000])
            try await settle(server)
            await processes.with { $0.close() }
            try await settle(server)
            // The process itself didn't end, so it is waited for.
            server.pass(server.core.limits.drainGrace)
            await #expect(throws: TestClient.Ended.self) { try await client.next() }
            #expect(server.log.elements.contains { $0.contains("closed in the middle of a message") })
        }
    }

    @Test func `messages that a process doesn't read are unfinished input, and the client that has most gives way`()
        async throws
    {
        var limits = Limits()
        limits.unfinishedBytes = 1_000_000
        try await withServer(limits: limits, farSide: processes) { server in
            let one = try await client(of: server)
            let other = try await client(of: server, number: 2)
            for index in 0..<2 { await processes.with(index) { $0.isReadingPaused = true } }
            let long = #"{"text":"\#(String(repeating: "x", count: 600_000))"}"#
            one.send(Wire.request("2", "ping", long))
            await until { server.unfinishedBytes > 500_000 }
            try await settle(server)
            #expect(server.exceeded["unfinishedBytes"] == nil)
            other.send(Wire.request("2", "ping", long))
            let error = try await one.expectError(-32015, id: "null")
            #expect(error.contains(#""limit":"unfinishedBytes""#))
            await one.expectEnd()
            // It is too much for the process, too, which gets the rest of nothing.
            for index in 0..<2 { await processes.with(index) { $0.isReadingPaused = false } }
            await until { processes.received.elements.last == Wire.request("2", "ping", long) }
            await until { server.unfinishedBytes == 0 }
            await processes.send(TestFraming.headers.frame(Wire.result("2", "null")), on: 1)
            try await other.expect(Wire.result("2", "null"))
        }
    }

    @Test(arguments: TestFraming.allCases)
    func `nothing more is answered while a client doesn't read its answers`(_ framing: TestFraming) async throws {
        try await withServer(farSide: processes) { server in
            let client = await server.connect(framing)
            client.pauseReading(true)
            try await server.turns()
            let count = 3_000
            client.send(bytes: (0..<count).flatMap { _ in framing.frame("{}") })
            try await settle(server)
            #expect(server.errors.values.reduce(0, +) < count / 2)
            client.pauseReading(false)
            for _ in 0..<count { try await client.expectError(-32600, id: "null") }
            client.send(Wire.request("2", "ping"))
            try await client.expectError(-32002, id: "2")
        }
    }

    @Test func `what was read and isn't answered yet doesn't grow while a client reads slowly`() async throws {
        try await withServer(farSide: processes) { server in
            let client = await server.connect()
            // More than is read at a time, again and again.
            client.send(bytes: (0..<400_000).flatMap { _ in TestFraming.lines.frame("{}") })
            for _ in 0..<2_000 { try await client.expectError(-32600, id: "null") }
            #expect(server.unfinishedBytes <= 128 << 10)
        }
    }

    @Test func `what was read of a client that has ended is passed, however full its process is`() async throws {
        try await withServer(farSide: processes) { server in
            let client = try await client(of: server)
            let messages = (2..<4_000).map { Wire.request("\($0)", "ping") }
            client.send(bytes: messages.flatMap { TestFraming.lines.frame($0) })
            client.endInput()
            await until { processes.received.elements.count == messages.count + 1 }
            #expect(Array(processes.received.elements.dropFirst()) == messages)
        }
    }
}
