import Serving
import Sessions
import TestSupport
import Testing
import Transport

/// What a client may leave unfinished, and for how long.
@Suite(.inTurn, .timeLimit(.minutes(4))) struct IntakeTests {
    private static let initialize = Wire.request("0", "initialize")

    /// Checks the error that answers no request, and that the connection ends with it.
    private func expectRefusal(
        of client: TestClient, _ limit: String, by server: TestServer, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let error = try await client.expectError(-32015, id: "null", sourceLocation: sourceLocation)
        #expect(error.contains(#""data":{"limit":"\#(limit)""#), "\(error)", sourceLocation: sourceLocation)
        // Inside a frame that isn't whole the client's close frame can't be read, and is waited for.
        try await server.turns()
        server.pass(.seconds(60))
        await client.expectEnd(sourceLocation: sourceLocation)
    }

    @Test(arguments: [TestFraming.lines, .webSocket])
    func `initialize has a time, whatever else is sent meanwhile`(_ framing: TestFraming) async throws {
        try await withServer { server in
            let client = await server.connect(framing, isPatient: false)
            let other = try await server.connected(framing, isPatient: false)
            client.send(Wire.request("1", "ping"))
            try await client.expectError(-32002, id: "1")
            server.pass(.seconds(10) - .nanoseconds(1))
            client.send(Wire.request("2", "ping"))
            try await client.expectError(-32002, id: "2")
            server.pass(.nanoseconds(1))
            try await expectRefusal(of: client, "initializeTime", by: server)
            #expect(server.exceeded == ["initializeTime": 1])
            #expect(server.log.elements.contains { $0.contains(": initialize didn't succeed within") })
            try await other.expectNothing()
        }
    }

    @Test func `a client that spawned the server may take its time`() async throws {
        try await withServer { server in
            let client = await server.connect()
            client.send(bytes: Array(#"{"jsonrpc":"2.0","id":0,"#.utf8))
            server.pass(.seconds(3_600))
            client.send(bytes: Array((#""method":"initialize"}"# + "\n").utf8))
            let answer = try await client.next()
            #expect(answer.hasPrefix(#"{"jsonrpc":"2.0","id":0,"result""#))
        }
    }

    @Test(arguments: TestFraming.allCases)
    func `a message that has begun has a time, however much of it comes`(_ framing: TestFraming) async throws {
        try await withServer { server in
            let client = try await server.connected(framing, isPatient: false)
            let message = framing.frame(Wire.request("1", "ping"))
            // Each message has a time of its own.
            for _ in 0..<3 {
                client.send(bytes: Array(message.prefix(5)))
                try await server.turns()
                server.pass(.seconds(50))
                client.send(bytes: Array(message.dropFirst(5)))
                try await client.expect(Wire.result("1"))
            }
            client.send(bytes: Array(message.prefix(3)))
            for byte in message[3..<8] {
                try await server.turns()
                server.pass(.seconds(10))
                client.send(bytes: [byte])
            }
            try await server.turns()
            server.pass(.seconds(10) - .nanoseconds(1))
            try await server.turns()
            #expect(server.exceeded == [:])
            server.pass(.nanoseconds(1))
            try await expectRefusal(of: client, "messageTime", by: server)
            #expect(server.unfinishedBytes == 0)
        }
    }

    @Test(arguments: [TestFraming.lines, .headers])
    func `before initialize a message is short`(_ framing: TestFraming) async throws {
        try await withServer { server in
            let client = await server.connect(framing)
            let long = String(repeating: " ", count: 70_000)
            client.send(bytes: framing.frame("{\(long)}"))
            try await expectRefusal(of: client, "initialBytes", by: server)
            #expect(server.unfinishedBytes == 0)
        }
    }

    @Test(arguments: TestFraming.allCases, [1_000, .max])
    func `behind initialize a long message is taken, in the same piece too`(
        _ framing: TestFraming, _ pieceBytes: Int
    ) async throws {
        try await withServer { server in
            let client = await server.connect(framing, pieceBytes: pieceBytes, capacity: 1 << 20)
            let long = String(repeating: " ", count: 200_000)
            client.send(Self.initialize, "{\(long)" + Wire.request("1", "ping").dropFirst())
            _ = try await client.next()
            try await client.expect(Wire.result("1"))
            #expect(server.unfinishedBytes == 0)
        }
    }

    @Test(arguments: TestFraming.allCases)
    func `of all unfinished input the largest part gives way, and others go on`(_ framing: TestFraming) async throws {
        var limits = Limits()
        limits.unfinishedBytes = 100_000
        try await withServer(loops: 2, limits: limits) { server in
            let small = try await server.connected(framing)
            let large = try await server.connected(framing, loop: 1)
            let message = framing.frame(
                "{\(String(repeating: " ", count: 65_000))" + Wire.request("1", "ping").dropFirst())
            small.send(bytes: Array(message.prefix(40_000)))
            await until { server.unfinishedBytes > 39_000 }
            large.send(bytes: Array(message.prefix(65_000)))
            try await expectRefusal(of: large, "unfinishedBytes", by: server)
            #expect(server.unfinishedBytes <= 40_000)
            small.send(bytes: Array(message.dropFirst(40_000)))
            try await small.expect(Wire.result("1"))
            #expect(server.unfinishedBytes == 0)
        }
    }

    @Test func `a client that isn't initialized gives way to one that is`() async throws {
        var limits = Limits()
        limits.unfinishedBytes = 100_000
        try await withServer(limits: limits) { server in
            let stranger = await server.connect()
            let client = try await server.connected()
            stranger.send(bytes: Array(#"{"a":"\#(String(repeating: "a", count: 40_000))"#.utf8))
            await until { server.unfinishedBytes > 39_000 }
            client.send(bytes: Array(#"{"a":"\#(String(repeating: "a", count: 65_000))"#.utf8))
            try await expectRefusal(of: stranger, "unfinishedBytes", by: server)
            client.send(bytes: Array((#""}"# + "\n").utf8))
            try await client.expectError(-32600, id: "null")
        }
    }

    @Test func `a client that ended its input and reads nothing has one grace period for everything`() async throws {
        try await withServer { server in
            let client = try await server.connected(capacity: 1_000)
            client.send(Wire.open("1", "probe", #"{"hold":"stuck end"}"#))
            _ = try await client.next()
            client.pauseReading(true)
            client.send(
                Wire.viewEvent("2", 1, #"{"kind":"emitBytes","value":1000000}"#),
                Wire.viewEvent("3", 1, #"{"kind":"waitRegardless"}"#))
            client.endInput()
            await server.clock.sleepers(1)
            server.clock.advance(by: .seconds(5))
            await until { server.connectionCount == 0 }
            Hold.named("stuck end").gate.open()
        }
    }

    /// The count, since the time of a test says little: without a bound each read would look at all of them again.
    @Test func `empty lines without a message have an end`() async throws {
        try await withServer { server in
            let client = await server.connect()
            for _ in 0..<9 { client.send(bytes: [UInt8](repeating: UInt8(ascii: "\n"), count: 1_000)) }
            try await expectRefusal(of: client, "headerBytes", by: server)
        }
    }

    @Test func `empty lines between messages have one, too, and messages go on behind fewer`() async throws {
        try await withServer { server in
            let client = try await server.connected()
            for _ in 0..<5 {
                client.send(bytes: [UInt8](repeating: UInt8(ascii: "\n"), count: 5_000))
                try await client.expectNothing()
            }
            client.send(bytes: [UInt8](repeating: UInt8(ascii: "\r"), count: 5_000) + [UInt8(ascii: "\n")])
            client.send(bytes: [UInt8](repeating: UInt8(ascii: " "), count: 5_000) + [UInt8(ascii: "\n")])
            try await expectRefusal(of: client, "headerBytes", by: server)
        }
    }

    @Test func `a message with too many values is refused as a whole, and the next is taken`() async throws {
        try await withServer { server in
            let client = try await server.connected()
            client.send(Wire.open("1", "hello"))
            _ = try await client.next()
            _ = try await client.next()
            let elements = String(repeating: "1,", count: 100_000)
            client.send(bytes: Array((Wire.viewEvent("2", 1, #"{"kind":"sayHello","x":[\#(elements)1]}"#) + "\n").utf8))
            let error = try await client.expectError(-32015, id: "2")
            #expect(error.contains(#""data":{"limit":"messageValues"}"#))
            let commas = String(repeating: ",", count: 200_000)
            client.send(bytes: Array((Wire.viewEvent("3", 1, #"{"kind":"sayHello","x":"\#(commas)"}"#) + "\n").utf8))
            _ = try await client.next()
            try await client.expect(Wire.result("3", #"{"seq":2}"#))
        }
    }

    @Test func `an error is short, however long what it quotes`() async throws {
        try await withServer { server in
            let client = try await server.connected()
            let long = String(repeating: "\u{1}\"\\é", count: 100_000)
            let quoted = #""\#(String(repeating: #"\u0001\"\\é"#, count: 100_000))""#
            #expect(long.count == 400_000)
            let requests = [
                Wire.request("1", "none").replacing("none", with: quoted.dropFirst().dropLast()),
                Wire.request("2", "session/open", #"{"viewModel":\#(quoted)}"#),
                Wire.open("3", "counter", #"{"start":{\#(quoted):1}}"#),
                Wire.open("4", "counter", #"{"start":\#(quoted)}"#),
                Wire.request("5", "session/attach", #"{"key":\#(quoted)}"#),
                Wire.request("6", "viewModel/describe", #"{"viewModel":\#(quoted)}"#),
                Wire.request(quoted, "ping"),
                Wire.request("1.\(String(repeating: "5", count: 400_000))", "ping"),
            ]
            for request in requests {
                client.send(bytes: Array("\(request)\n".utf8))
                let error = try await client.next()
                #expect(
                    error.contains(#""error""#) && error.utf8.count <= 4_096,
                    "\(error.prefix(300)) (\(error.utf8.count))")
                #expect(error.contains("…") || error.utf8.count < 400, "\(error.prefix(300))")
            }
        }
    }
}
