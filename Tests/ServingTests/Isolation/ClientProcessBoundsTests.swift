import Sessions
import TestSupport
import Testing
import Transport

@testable import Serving

/// What a server with `--isolate` holds between a client and its process is bounded, whichever of them doesn't read.
@Suite(.inTurn, .timeLimit(.minutes(4))) struct ClientProcessBoundsTests {
    private let processes = FarSide()

    /// A client whose process is there.
    private func client(
        _ framing: TestFraming = .lines, of server: TestServer, number: Int = 1
    ) async throws -> TestClient {
        let client = await server.connect(framing)
        client.send(Wire.request("1", "initialize"))
        await until { processes.received.elements.count == number }
        await processes.send(Wire.result("1", "null"), on: number - 1)
        #expect(try await client.next().hasPrefix(#"{"jsonrpc":"2.0","id":1,"result":{"protocolVersion""#))
        return client
    }

    private func event(_ number: Int, _ count: Int) -> String {
        let long = String(repeating: "\\\"", count: count / 2)
        let params = #"{"session":1,"seq":\#(number),"event":{"kind":"\#(long)"}}"#
        return #"{"jsonrpc":"2.0","method":"viewModel/event","params":\#(params)}"#
    }

    /// A message as `RelayedServer` writes it.
    private func relayed(_ id: String, _ method: String, _ params: String = "{}") -> String {
        #"{"jsonrpc":"2.0","id":\#(id),"method":"\#(method)","params":\#(params)}"#
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
            let event = event(1, 1 << 20)
            await processes.send(event)
            try await settle(server)
            let left = await processes.with { $0.unsentByteCount }
            #expect(left > event.utf8.count - 512 << 10)
            client.pauseReading(false)
            #expect(try await client.next() == event)
            #expect(await processes.with { $0.unsentByteCount } == 0)
            await processes.send(event)
            #expect(try await client.next() == event)
        }
    }

    @Test(arguments: TestFraming.allCases)
    func `a long answer waits there, too, and what it attaches is known`(_ framing: TestFraming) async throws {
        try await withServer(farSide: processes) { server in
            let client = try await client(framing, of: server)
            client.send(Wire.request(#""a\"b""#, "session/attach", #"{"key":"a"}"#), Wire.request("3", "ping"))
            await until { processes.received.elements.count == 3 }
            client.pauseReading(true)
            try await server.turns()
            let snapshot = #"[{"kind":"\#(String(repeating: "x", count: 1 << 20))"}]"#
            let answer = Wire.result(
                #""a\"b""#, #"{"session":7,"viewModel":"counter","seq":1,"snapshot":\#(snapshot)}"#)
            await processes.send(answer)
            await processes.send(Wire.result("3", "null"))
            try await settle(server)
            let left = await processes.with { $0.unsentByteCount }
            #expect(left > answer.utf8.count - 512 << 10)
            client.pauseReading(false)
            try await client.expect(answer, Wire.result("3", "null"))
            await processes.with { $0.close() }
            try await settle(server)
            server.pass(server.core.limits.drainGrace)
            #expect(try await client.next().contains("gave up the connection; its sessions ended with it"))
            try await client.expect(Wire.notification("session/closed", #"{"session":7,"reason":"failed"}"#))
        }
    }

    @Test func `what the server itself says comes behind the message that passes`() async throws {
        try await withServer(farSide: processes) { server in
            let client = try await client(.headers, of: server)
            let event = event(1, 200_000)
            await processes.send(event, first: 100_000)
            client.send(bytes: Array("Content-Length: 2\r\nContent-Type: a/b; charset=latin1\r\n\r\n{}".utf8))
            try await settle(server)
            let rest = TestFraming.headers.frame(event).dropFirst(100_000)
            await processes.with { $0.write { $0.append(contentsOf: rest) } }
            #expect(try await client.next() == event)
            try await client.expectError(-32700, id: "null")
            // It goes on both ways.
            client.send(Wire.request("2", "ping"))
            await until { processes.received.elements.last == relayed("2", "ping") }
        }
    }

    @Test func `a process whose message is longer than any may be is ended, and the client stays`() async throws {
        var limits = Limits()
        limits.messageBytes = 100_000
        try await withServer(limits: limits, farSide: processes) { server in
            let client = try await client(of: server)
            client.send(Wire.open("2", "counter"))
            await until { processes.received.elements.count == 2 }
            await processes.send(Wire.opened("2", 1, "key", "counter"))
            #expect(try await client.next().contains(#""id":2,"result""#))
            await processes.send(event(1, 200_000))
            let reason = "was ended by SIGKILL: it sent something that is no message; its sessions ended with it"
            #expect(try await client.next().contains(reason))
            #expect(try await client.next() == Wire.notification("session/closed", #"{"session":1,"reason":"failed"}"#))
        }
    }

    @Test(arguments: [TestFraming.lines, .headers])
    func `a client is cut off in the middle of a message whose rest is lost`(_ framing: TestFraming) async throws {
        try await withServer(farSide: processes) { server in
            let client = try await client(framing, of: server)
            await processes.send(event(1, 200_000), first: 100_000)
            try await settle(server)
            await processes.with { $0.close() }
            await #expect(throws: TestClient.Ended.self) { try await client.next() }
            #expect(server.log.elements.contains { $0.contains("closed in the middle of a message") })
        }
    }

    @Test func `a message whose beginning is lost isn't told, and the client goes on with another process`()
        async throws
    {
        try await withServer(farSide: processes) { server in
            let client = try await client(of: server)
            client.send(Wire.request("2", "ping"))
            await until { processes.received.elements.count == 2 }
            await processes.send(event(1, 200_000), first: 5_000)
            try await settle(server)
            await processes.with { $0.close() }
            try await settle(server)
            client.send(Wire.request("3", "ping"))
            try await settle(server)
            #expect(processes.received.elements.count == 2)
            // The process itself didn't end, so it is waited for.
            server.pass(server.core.limits.drainGrace)
            let error = try await client.expectError(-32014, id: "2")
            #expect(error.contains("gave up the connection; what it had not answered may have been done in part"))
            await until { processes.received.elements.last == relayed("3", "ping") }
            await processes.send(Wire.result("3", "null"), on: 1)
            try await client.expect(Wire.result("3", "null"))
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
            // A channel takes what its window does.
            let long = #"{"text":"\#(String(repeating: "x", count: 900_000))"}"#
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
            await until { processes.received.elements.last == relayed("2", "ping", long) }
            await until { server.unfinishedBytes == 0 }
            await processes.send(Wire.result("2", "null"), on: 1)
            try await other.expect(Wire.result("2", "null"))
        }
    }

    @Test(arguments: TestFraming.allCases)
    func `nothing more is answered while a client doesn't read its answers`(_ framing: TestFraming) async throws {
        try await withServer(farSide: processes) { server in
            let client = await server.connect(framing)
            client.pauseReading(true)
            try await server.turns()
            let count = 30_000
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
            let numbers = 2..<4_000
            client.send(bytes: numbers.flatMap { TestFraming.lines.frame(Wire.request("\($0)", "ping")) })
            client.endInput()
            await until { processes.received.elements.count == numbers.count + 1 }
            #expect(Array(processes.received.elements.dropFirst()) == numbers.map { relayed("\($0)", "ping") })
        }
    }

    @Test func `what is told of a view comes behind the batch that attaches it, and of others at once`() async throws {
        try await withServer(farSide: processes) { server in
            let client = try await client(of: server)
            client.send(
                "[\(Wire.open("2", "counter")),\(Wire.request("3", "ping")),\(Wire.open("4", "counter"))]")
            // The second attachment waits for the first.
            await until { processes.received.elements.count == 3 }
            func event(_ view: Int) -> String { Wire.event(view, 1, #"{"kind":"count","value":0}"#) }
            for message in [Wire.opened("2", 1, "a", "counter"), event(1), event(7)] { await processes.send(message) }
            await until { processes.received.elements.count == 4 }
            await processes.send(Wire.opened("4", 2, "b", "counter"))
            try await client.expect(event(7))
            await processes.send(event(2))
            try await settle(server)
            await processes.send(Wire.result("3", "null"))
            let answers = try await client.next()
            #expect(answers.matches(of: /"id":[0-9]/).map { String($0.output.suffix(1)) }.sorted() == ["2", "3", "4"])
            try await client.expect(event(1), event(2))
        }
    }

    @Test func `a view whose answer has no room in its batch is taken off again`() async throws {
        var limits = Limits()
        limits.messageBytes = 1_000
        limits.initialBytes = 1_000
        try await withServer(limits: limits, farSide: processes) { server in
            let client = try await client(of: server)
            let attach = { Wire.request($0, "session/attach", #"{"key":"a"}"#) }
            client.send("[\(attach("2")),\(attach("3")),\(attach("4"))]")
            for (id, view) in [("2", 1), ("3", 2)] {
                await until { processes.received.elements.count == 1 + view }
                let snapshot = #"[{"kind":"\#(String(repeating: "x", count: 600))"}]"#
                await processes.send(
                    Wire.result(id, #"{"session":\#(view),"viewModel":"counter","seq":1,"snapshot":\#(snapshot)}"#))
            }
            let answers = try await client.next()
            #expect(answers.contains(#""id":2,"result""#) && answers.contains(#""id":3,"error":{"code":-32015,"#))
            // One more isn't asked for.
            #expect(
                answers.contains(#""id":4,"error":{"code":-32015,"#) && answers.contains(#""limit":"messageBytes""#))
            await until { processes.received.elements.count == 4 }
            #expect(
                processes.received.elements.last?.hasSuffix(#""method":"session/detach","params":{"session":2}}"#)
                    ?? false)
        }
    }
}
