import Sessions
import TestSupport
import Testing

@Suite(.inTurn, .timeLimit(.minutes(4)))
struct FlowControlTests {
    /// Session 1 of a client that reads, and of one that takes only 20,000 bytes before it must. With fewer, each message would
    /// be a turn of the pool, which all tests share.
    private func sharedProbe(_ server: TestServer) async throws -> (fast: TestClient, slow: TestClient) {
        let (fast, slow) = (try await server.connected(), try await server.connected(capacity: 20_000))
        fast.send(Wire.open("1", "probe"))
        try await fast.expect(Wire.opened("1", 1, "key-1", "probe"))
        slow.send(Wire.request("1", "session/attach", #"{"key":"key-1"}"#))
        _ = try await slow.next()
        return (fast, slow)
    }

    @Test func `a view that doesn't read is ended, and no other view waits for it`() async throws {
        var limits = Limits()
        limits.viewBytes = 100_000
        try await withServer(limits: limits) { server in
            let (fast, slow) = try await sharedProbe(server)
            slow.send(Wire.open("1", "hello"))
            for _ in 0..<2 { _ = try await slow.next() }
            slow.pauseReading(true)
            for id in 1...100 {
                fast.send(Wire.viewEvent("\(id)", 1, #"{"kind":"emitBytes","value":10000}"#))
                #expect(
                    try await fast.next().hasPrefix(
                        #"{"jsonrpc":"2.0","method":"viewModel/event","params":{"session":1,"seq":\#(id),"#))
                try await fast.expect(Wire.result("\(id)", #"{"seq":\#(id)}"#))
            }
            slow.pauseReading(false)
            var last = 0
            while case let message = try await slow.next(), message != Wire.closed(1, "overflow") {
                last += 1
                #expect(
                    message.hasPrefix(
                        #"{"jsonrpc":"2.0","method":"viewModel/event","params":{"session":1,"seq":\#(last),"#))
            }
            #expect(last < 100)
            slow.send(Wire.viewEvent("3", 2, #"{"kind":"sayHello"}"#))
            try await slow.expect(
                Wire.event(2, 2, #"{"kind":"helloText","value":"Hello"}"#), Wire.result("3", #"{"seq":2}"#))
            slow.send(Wire.viewEvent("4", 1, #"{"kind":"emit","count":1}"#))
            try await slow.expectError(-32012, id: "4")
        }
    }

    @Test func `events that are streamed reach a client that reads slowly, and none is lost`() async throws {
        var limits = Limits()
        limits.viewBytes = 20_000
        try await withServer(limits: limits) { server in
            let (fast, slow) = try await sharedProbe(server)
            slow.pauseReading(true)
            let count = 2_000
            fast.send(Wire.viewEvent("2", 1, #"{"kind":"stream","count":\#(count)}"#), Wire.request("3", "ping"))
            var events = 0
            while case let message = try await fast.next(), message != Wire.result("3", "null") { events += 1 }
            #expect(events < count, "the handler waits")
            slow.pauseReading(false)
            for number in 1...count { #expect(try await slow.next().contains(#""session":1,"seq":\#(number),"#)) }
            try await slow.expectNothing()
            while case let message = try await fast.next(), message != Wire.result("2", #"{"seq":\#(count)}"#) {
                events += 1
            }
            #expect(events == count)
        }
    }

    @Test func `one event larger than a view's bound reaches a view that reads`() async throws {
        var limits = Limits()
        limits.viewBytes = 1_000
        try await withServer(limits: limits) { server in
            let client = try await server.connected(.headers)
            client.send(Wire.open("1", "probe"), Wire.viewEvent("2", 1, #"{"kind":"emitBytes","value":3000000}"#))
            try await client.expect(Wire.opened("1", 1, "key-1", "probe"))
            #expect(try await client.next().utf8.count > 3_000_000)
            try await client.expect(Wire.result("2", #"{"seq":1}"#))
        }
    }

    @Test func `answers that aren't read stop the reading, and all come when reading goes on`() async throws {
        try await withServer { server in
            let client = try await server.connected(capacity: 20_000)
            client.send(Wire.open("1", "counter"))
            _ = try await client.next()
            _ = try await client.next()
            client.pauseReading(true)
            let count = 2_000
            for id in 1...count { client.send(Wire.viewEvent("\(id)", 1, #"{"kind":"load"}"#)) }
            client.pauseReading(false)
            for id in 1...count {
                #expect(
                    try await client.next().hasPrefix(
                        #"{"jsonrpc":"2.0","method":"viewModel/event","params":{"session":1,"seq":\#(id + 1),"#))
                try await client.expect(Wire.result("\(id)", #"{"seq":\#(id + 1)}"#))
            }
        }
    }

    @Test func `progress that isn't read takes no memory without bound, and its end comes all the same`() async throws {
        try await withServer { server in
            let client = try await server.connected(capacity: 20_000)
            client.send(Wire.open("1", "probe"))
            try await client.expect(Wire.opened("1", 1, "key-1", "probe"))
            client.pauseReading(true)
            let steps = 20_000
            client.send(
                Wire.viewEvent("2", 1, #"{"kind":"work","steps":\#(steps),"fails":false}"#, #","workDoneToken":1"#))
            client.pauseReading(false)
            var (events, progress) = (0, [String]())
            while case let message = try await client.next(), message != Wire.result("2", #"{"seq":\#(steps)}"#) {
                if message.contains("$/progress") {
                    progress.append(message)
                } else {
                    events += 1
                    #expect(message.contains(#""session":1,"seq":\#(events),"#))
                }
            }
            #expect(events == steps)
            #expect(progress.first?.contains("begin") == true && progress.last?.contains(#""kind":"end""#) == true)
            #expect(progress.count < steps / 2)
            try await client.expectNothing()
        }
    }

    @Test func `a view that was ended for not reading attaches again and has missed nothing`() async throws {
        var limits = Limits()
        limits.viewBytes = 100_000
        try await withServer(limits: limits) { server in
            let (fast, slow) = try await sharedProbe(server)
            slow.pauseReading(true)
            for id in 1...60 {
                fast.send(Wire.viewEvent("\(id)", 1, #"{"kind":"emitBytes","value":10000}"#))
                _ = try await fast.next()
                _ = try await fast.next()
            }
            slow.pauseReading(false)
            var last = 0
            while try await slow.next() != Wire.closed(1, "overflow") { last += 1 }
            #expect(last < 60)
            slow.send(Wire.request("2", "session/attach", #"{"key":"key-1","since":\#(last)}"#))
            try await slow.expect(Wire.result("2", #"{"session":2,"viewModel":"probe","seq":60,"epoch":"1"}"#))
            for number in (last + 1)...60 { #expect(try await slow.next().contains(#""session":2,"seq":\#(number),"#)) }
            try await slow.expectNothing()
        }
    }

    /// Enough to wait in the outbox, and not so much that the reading pauses before the last message.
    @Test(arguments: ["shutdown", "session/close", "session/detach"])
    func `events that were asked for before a view is detached come before the answers, however slow the client reads`(
        method: String
    ) async throws {
        try await withServer { server in
            let client = try await server.connected(capacity: 1_000)
            client.send(Wire.open("0", "counter"))
            try await client.expect(
                Wire.opened("0", 1, "key-1", "counter"), Wire.event(1, 1, #"{"kind":"count","value":0}"#))
            client.pauseReading(true)
            let count = 100
            for id in 1...count { client.send(Wire.viewEvent("\(id)", 1, #"{"kind":"load"}"#)) }
            client.send(
                Wire.notification("view/event", #"{"session":1,"event":{"kind":"load"}}"#),
                Wire.request("\"last\"", method, #"{"session":1}"#))
            client.pauseReading(false)
            for id in 1...count {
                let start = #"{"jsonrpc":"2.0","method":"viewModel/event","params":{"session":1,"seq":\#(id + 1),"#
                #expect(try await client.next().hasPrefix(start))
                try await client.expect(Wire.result("\(id)", #"{"seq":\#(id + 1)}"#))
            }
            #expect(try await client.next().contains(#""seq":\#(count + 2),"#))
            try await client.expect(Wire.result("\"last\""))
            client.send(Wire.notification("exit"))
            await client.expectEnd(status: method == "shutdown" ? 0 : 1)
        }
    }

    @Test func `a view that is left while its events wait is off its session once they are written`() async throws {
        try await withServer { server in
            let (slow, other) = (try await server.connected(capacity: 1_000), try await server.connected())
            slow.send(Wire.open("0", "counter"))
            for _ in 0..<2 { _ = try await slow.next() }
            slow.pauseReading(true)
            for id in 1...100 { slow.send(Wire.viewEvent("\(id)", 1, #"{"kind":"load"}"#)) }
            slow.send(Wire.request("101", "shutdown"))
            slow.pauseReading(false)
            while try await slow.next() != Wire.result("101") {}
            other.send(Wire.request("1", "session/attach", #"{"key":"key-1"}"#))
            try await other.expectError(-32012, id: "1")
        }
    }

    @Test func `output of many sessions that a client doesn't read is bounded together`() async throws {
        var limits = Limits()
        limits.viewBytes = 40_000
        try await withServer(limits: limits) { server in
            let (client, other) = (try await server.connected(capacity: 1_000), try await server.connected())
            client.send(Wire.open("0", "probe"), Wire.viewEvent("1", 1, #"{"kind":"emitBytes","value":300000}"#))
            try await client.expect(Wire.opened("0", 1, "key-1", "probe"))
            _ = try await client.next()
            _ = try await client.next()
            let count = 50
            for view in 2...count {
                client.send(Wire.open("0", "probe"))
                try await client.expect(Wire.opened("0", view, "key-\(view)", "probe"))
            }
            client.pauseReading(true)
            client.send(Wire.viewEvent("1", 1, #"{"kind":"emitBytes","value":300000}"#))
            for view in 2...count {
                client.send(
                    Wire.notification("view/event", #"{"session":\#(view),"event":{"kind":"emitBytes","value":3000}}"#))
            }
            // The last session's event isn't taken while so much waits: its view model has sent nothing.
            for _ in 0..<20 { try await other.expectNothing() }
            other.send(Wire.request("2", "session/attach", #"{"key":"key-50"}"#))
            try await other.expect(
                Wire.result("2", #"{"session":1,"viewModel":"probe","seq":0,"epoch":"1","snapshot":[]}"#))
            client.pauseReading(false)
            for _ in 1...(count + 1) { _ = try await client.next() }
            try await client.expectNothing()
        }
    }
}
