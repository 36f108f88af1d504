import Sessions
import TestSupport
import Testing

@Suite(.inTurn, .timeLimit(.minutes(4)))
struct SessionAttachTests {
    /// Guarantee 5 of a session, while it goes on sending and connections are lost at any moment.
    @Test(arguments: TestFraming.allCases)
    func `over many reconnects every event comes exactly once`(framing: TestFraming) async throws {
        var limits = Limits()
        limits.replayEvents = 100_000
        limits.replayBytes = .max
        try await withServer(loops: 2, limits: limits) { server in
            let (sender, eventCount, perEvent) = (try await server.connected(), 100, 10)
            sender.send(Wire.open("0", "probe"))
            try await sender.expect(Wire.opened("0", 1, "key-1", "probe"))
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    for id in 1...eventCount {
                        let kind = id % 3 == 0 ? "emitElsewhere" : "emit"
                        sender.send(Wire.viewEvent("\(id)", 1, #"{"kind":"\#(kind)","count":\#(perEvent)}"#))
                        while try await sender.next().contains("viewModel/event") {}
                    }
                }
                for index in 0..<2 {
                    group.addTask {
                        var (newest, connections) = (0, 0)
                        while newest < eventCount * perEvent {
                            connections += 1
                            let client = try await server.connected(framing, loop: index)
                            client.send(Wire.request("1", "session/attach", #"{"key":"key-1","since":\#(newest)}"#))
                            let answer = try await client.next()
                            #expect(answer.hasPrefix(#"{"jsonrpc":"2.0","id":1,"result":{"session":1,"#), "\(answer)")
                            for _ in 0..<(connections % 7 * 20) where newest < eventCount * perEvent {
                                let message = try await client.next()
                                #expect(message.contains(#"/event","params":{"session":1,"seq":\#(newest + 1),"#))
                                newest += 1
                            }
                            client.cut()
                        }
                        #expect(connections > 2)
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    @Test func `a client that goes while its handler runs loses the answer, and other views nothing`() async throws {
        try await withServer(loops: 2) { server in
            let (one, other) = (try await server.connected(), try await server.connected(loop: 1))
            one.send(Wire.open("1", "probe", #"{"hold":"gone"}"#))
            try await one.expect(Wire.opened("1", 1, "key-1", "probe"))
            other.send(Wire.request("1", "session/attach", #"{"key":"key-1","client":"b"}"#))
            _ = try await other.next()
            one.send(Wire.viewEvent("2", 1, #"{"kind":"wait"}"#), Wire.viewEvent("3", 1, #"{"kind":"emit","count":1}"#))
            try await one.expect(Wire.one(1, 1, -1))
            try await other.expect(Wire.one(1, 1, -1))
            one.cut()
            Hold.named("gone").gate.open()
            try await other.expect(Wire.one(1, 2, 0))
            other.send(Wire.viewEvent("2", 1, #"{"kind":"emit","count":1}"#))
            try await other.expect(Wire.one(1, 3, 0), Wire.result("2", #"{"seq":3}"#))
        }
    }

    @Test func `a view that detaches while its handler runs is answered and gets nothing more`() async throws {
        try await withServer { server in
            let client = try await server.connected()
            client.send(
                Wire.open("1", "probe", #"{"hold":"detached"}"#), Wire.viewEvent("2", 1, #"{"kind":"wait"}"#),
                Wire.viewEvent("3", 1, #"{"kind":"emit","count":2}"#))
            try await client.expect(Wire.opened("1", 1, "key-1", "probe"), Wire.one(1, 1, -1))
            client.send(Wire.request("4", "session/detach", #"{"session":1}"#))
            try await client.expect(Wire.result("4"))
            Hold.named("detached").gate.open()
            try await client.expect(Wire.result("2", #"{"seq":1}"#), Wire.result("3", #"{"seq":3}"#))
            client.send(Wire.request("5", "session/attach", #"{"key":"key-1","since":1}"#))
            try await client.expect(
                Wire.result("5", #"{"session":2,"viewModel":"probe","seq":3,"epoch":"1"}"#),
                Wire.one(2, 2, 0, more: true), Wire.one(2, 3, 1))
        }
    }

    @Test func `a view attached in a batch gets its events after the batch's answer`() async throws {
        try await withServer { server in
            let client = try await server.connected()
            client.send(Wire.open("1", "probe", #"{"hold":"attach batch","events":1}"#))
            try await client.expect(Wire.opened("1", 1, "key-1", "probe"), Wire.one(1, 1, 0))
            let attach = Wire.request("2", "session/attach", #"{"key":"key-1","since":0}"#)
            client.send("[\(attach),\(Wire.viewEvent("3", 1, #"{"kind":"wait"}"#))]")
            try await client.expect(Wire.one(1, 2, -1))
            client.send(Wire.request("4", "ping"))
            try await client.expect(Wire.result("4"))
            Hold.named("attach batch").gate.open()
            try await client.expect(
                "[\(Wire.result("2", #"{"session":2,"viewModel":"probe","seq":1,"epoch":"1"}"#)),"
                    + "\(Wire.result("3", #"{"seq":2}"#))]",
                Wire.one(2, 1, 0), Wire.one(2, 2, -1))
        }
    }
}
