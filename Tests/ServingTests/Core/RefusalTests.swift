import JSONRPC
import Sessions
import TestSupport
import Testing
import ViewModelProtocol

/// All that is refused or has to wait is counted by its limit, and has a line in the log that names it.
@Suite(.inTurn, .timeLimit(.minutes(4)))
struct RefusalTests {
    private func expectNoted(_ server: TestServer, _ limit: String, _ count: Int = 1) {
        #expect(server.exceeded[limit] == count, "\(server.exceeded)")
        #expect(server.log.elements.contains { $0.hasSuffix("(\(limit))") }, "\(server.log.elements)")
    }

    @Test func `attaches that wait for snapshots that came first`() async throws {
        var limits = Limits()
        limits.snapshots = 1
        try await withServer(limits: limits, register: LedgerViewModel.register) { server in
            let client = try await server.connected()
            client.send(Wire.open("1", "ledger", #"{"snapshot":"refusal"}"#))
            try await client.expect(Wire.opened("1", 1, "key-1", "ledger"))
            let attaches = (2...4).map { Wire.request("\($0)", "session/attach", #"{"key":"key-1"}"#) }
            for attach in attaches { client.send(attach) }
            client.send(Wire.request("5", "ping"))
            try await client.expect(Wire.result("5"))
            expectNoted(server, "snapshots", 2)
            Hold.named("refusal").gate.open()
            for _ in attaches { #expect(try await client.next().contains("snapshot")) }
            #expect(server.log.elements.count { $0.hasSuffix("(snapshots)") } == 1)
        }
    }

    @Test func `attaches in a batch whose answers are longer than a message`() async throws {
        var limits = Limits()
        limits.messageBytes = 1_000_000
        try await withServer(
            limits: limits, register: { BulkViewModel.register(in: &$0, snapshots: Recorder<Int>()) }
        ) { server in
            let client = try await server.connected()
            client.send(Wire.open("1", "bulk", #"{"bytes":300000}"#))
            try await client.expect(Wire.opened("1", 1, "key-1", "bulk"))
            let attaches = (1...5).map { Wire.request("\($0)", "session/attach", #"{"key":"key-1"}"#) }
            client.send("[" + attaches.joined(separator: ",") + "]")
            #expect(try await client.next().ranges(of: #""limit":"messageBytes""#).count == 2)
            expectNoted(server, "messageBytes", 2)
            #expect(server.errors[.limitExceeded] == 2)
        }
    }

    @Test func `events and snapshots that are longer than a message`() async throws {
        var limits = Limits()
        limits.messageBytes = 100_000
        try await withServer(
            limits: limits, register: { BulkViewModel.register(in: &$0, snapshots: Recorder<Int>()) }
        ) { server in
            let client = try await server.connected()
            client.send(Wire.open("1", "bulk", #"{"bytes":200000}"#))
            try await client.expect(Wire.opened("1", 1, "key-1", "bulk"))
            client.send(Wire.request("2", "view/event", #"{"session":1,"event":{"kind":"send"}}"#))
            #expect(try await client.next().contains("bulk sent an event of 200"))
            try await client.expect(Wire.result("2", #"{"seq":0}"#))
            #expect(server.exceeded == ["messageBytes": 1])
            client.send(Wire.request("3", "session/attach", #"{"key":"key-1"}"#))
            // Each view of it is told, and so is the one that asks.
            for _ in 1...2 { #expect(try await client.next().contains("bulk made a snapshot of 200")) }
            // It has told nothing, so a view needs nothing to begin.
            #expect(try await client.next().contains(#""seq":0,"epoch":"1","snapshot":[]"#))
            expectNoted(server, "messageBytes", 2)
        }
    }

    @Test func `a client that doesn't read its answers`() async throws {
        var limits = Limits()
        limits.unreadBytes = 10_000
        try await withServer(limits: limits) { server in
            let client = try await server.connected(capacity: 1_000)
            client.pauseReading(true)
            let ids = (1...1_000).map { #""\#($0)-\#(String(repeating: "x", count: 1_000))""# }
            for id in ids { client.send(Wire.request(id, "ping")) }
            await until { server.exceeded["unreadBytes"] != nil }
            expectNoted(server, "unreadBytes")
            client.pauseReading(false)
            for id in ids { try await client.expect(Wire.result(id)) }
        }
    }

    @Test func `a view that doesn't keep up`() async throws {
        var limits = Limits()
        limits.viewBytes = 100_000
        try await withServer(limits: limits) { server in
            let (fast, slow) = (try await server.connected(), try await server.connected(capacity: 1_000))
            fast.send(Wire.open("1", "probe"))
            try await fast.expect(Wire.opened("1", 1, "key-1", "probe"))
            slow.send(Wire.request("2", "session/attach", #"{"key":"key-1"}"#))
            _ = try await slow.next()
            slow.pauseReading(true)
            for id in 1...100 {
                fast.send(Wire.viewEvent("\(id)", 1, #"{"kind":"emitBytes","value":10000}"#))
                _ = (try await fast.next(), try await fast.next())
            }
            slow.pauseReading(false)
            while try await slow.next() != Wire.closed(1, "overflow") {}
            expectNoted(server, "viewBytes")
        }
    }

    @Test func `connections beyond the bound`() async throws {
        var limits = Limits()
        limits.connections = 1
        try await withServer(limits: limits) { server in
            let first = try await server.connected()
            let second = await server.connect(isProcess: false)
            try await second.expectError(-32015, id: "null")
            await #expect(throws: TestClient.Ended.self) { try await second.next() }
            expectNoted(server, "connections")
            try await first.expectNothing()
        }
    }

    @Test func `other errors are counted by their names alone`() async throws {
        try await withServer { server in
            let client = try await server.connected()
            client.send(
                Wire.open("1", "counter", #"{"cuont":1}"#), Wire.request("2", "session/attach", #"{"key":"x"}"#))
            try await client.expectError(-32602, id: "1")
            try await client.expectError(-32012, id: "2")
            #expect(server.errors == [.invalidParams: 1, .unknownSession: 1])
            #expect(server.exceeded == [:])
            #expect(server.metrics.contains(#"view_model_server_errors_total{error="InvalidParams"} 1"#))
        }
    }

    @Test func `a token for progress is no longer than an id`() async throws {
        try await withServer { server in
            let client = try await server.connected()
            client.send(Wire.open("1", "probe"))
            try await client.expect(Wire.opened("1", 1, "key-1", "probe"))
            for (count, isTaken) in [(1_000, true), (1_100, false)] {
                let token = String(repeating: "t", count: count)
                let params = #"{"session":1,"event":{"kind":"emit","count":0},"workDoneToken":"\#(token)"}"#
                client.send(Wire.request("2", "view/event", params))
                if isTaken {
                    try await client.expect(Wire.result("2", #"{"seq":0}"#))
                } else {
                    #expect(try await client.expectError(-32602, id: "2").contains(#""path":"/workDoneToken""#))
                }
            }
        }
    }

    @Test func `a trace has the beginning of a long message`() async throws {
        try await withServer { server in
            let client = await server.connect()
            client.send(Wire.request("0", "initialize", #"{"trace":"verbose"}"#))
            _ = try await client.next()
            let long = String(repeating: "x", count: 200_000)
            client.send(Wire.request("1", "ping", #"{"a":"\#(long)"}"#))
            var messages = ""
            while case let message = try await client.next(), message != Wire.result("1") { messages += message }
            #expect(messages.utf8.count < 70_000 && messages.contains("… (200008 bytes)"))
            client.send(Wire.request("2", long))
            messages = ""
            while case let message = try await client.next(), !message.contains(#""id":2"#) { messages += message }
            #expect(messages.utf8.count < 10_000)
        }
    }
}
