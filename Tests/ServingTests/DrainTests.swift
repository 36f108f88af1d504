import Sessions
import TestSupport
import Testing

import Serving

@Suite(.inTurn, .timeLimit(.minutes(4)))
struct DrainTests {
    @Test func `a drain answers what runs, tells every view, and closes`() async throws {
        try await withServer(loops: 2) { server in
            let (one, other) = (try await server.connected(), try await server.connected(.headers, loop: 1))
            one.send(Wire.open("1", "probe", #"{"hold":"drain"}"#))
            try await one.expect(Wire.opened("1", 1, "key-1", "probe"))
            other.send(Wire.request("1", "session/attach", #"{"key":"key-1"}"#))
            _ = try await other.next()
            one.send(Wire.viewEvent("2", 1, #"{"kind":"wait"}"#))
            try await one.expect(Wire.one(1, 1, -1))
            try await other.expect(Wire.one(1, 1, -1))
            async let drained: Void = server.core.drain()
            Hold.named("drain").gate.open()
            try await one.expect(Wire.result("2", #"{"seq":1}"#), Wire.closed(1, "serverShutdown"))
            try await other.expect(Wire.closed(1, "serverShutdown"))
            await one.expectEnd()
            await other.expectEnd()
            await drained
        }
    }

    @Test func `a handler that takes longer than the grace period is answered as closed`() async throws {
        try await withServer { server in
            let client = try await server.connected()
            client.send(
                Wire.open("1", "probe", #"{"hold":"stuck drain"}"#),
                Wire.viewEvent("2", 1, #"{"kind":"waitRegardless"}"#),
                Wire.viewEvent("3", 1, #"{"kind":"emit","count":1}"#))
            try await client.expect(Wire.opened("1", 1, "key-1", "probe"), Wire.one(1, 1, -1))
            let hasDrained = Gate()
            let draining = Task {
                await server.core.drain()
                hasDrained.open()
            }
            await server.clock.sleepers(1)
            server.clock.advance(by: .seconds(5))
            try await client.expectError(-32012, id: "2")
            try await client.expectError(-32012, id: "3")
            try await client.expect(Wire.closed(1, "serverShutdown"))
            await client.expectEnd()
            // Its view model can't be stopped before the handler returns.
            #expect(!hasDrained.isOpen)
            await until {
                server.pass(.seconds(5))
                return hasDrained.isOpen
            }
            await draining.value
            let line = "probe.waitRegardless has not returned 5.0 seconds after the end of its session (drainGrace), "
            #expect(server.log.elements.contains { $0.contains(line) }, "\(server.log.elements)")
            Hold.named("stuck drain").gate.open()
        }
    }

    @Test func `a client that doesn't read holds nothing up beyond the grace period`() async throws {
        try await withServer { server in
            let (reader, stuck) = (try await server.connected(), try await server.connected(capacity: 1_000))
            reader.send(Wire.open("1", "hello"))
            _ = try await reader.next()
            _ = try await reader.next()
            stuck.send(Wire.open("1", "probe"))
            _ = try await stuck.next()
            stuck.pauseReading(true)
            for id in 1...10 { stuck.send(Wire.viewEvent("\(id)", 1, #"{"kind":"emitBytes","value":200000}"#)) }
            // Otherwise nothing may be owed yet.
            await until { server.core.counts.models["probe"]?.events ?? 0 > 0 }
            let hasDrained = Gate()
            let draining = Task {
                await server.core.drain()
                hasDrained.open()
            }
            try await reader.expect(Wire.closed(1, "serverShutdown"))
            await reader.expectEnd()
            #expect(!hasDrained.isOpen)
            await until {
                server.pass(.seconds(5))
                return hasDrained.isOpen
            }
            await draining.value
        }
    }

    @Test func `a drain ends sessions in the order of their keys, in each run`() async throws {
        try await withServer { server in
            let client = try await server.connected()
            for view in 1...12 {
                client.send(Wire.open("1", "probe"))
                try await client.expect(Wire.opened("1", view, "key-\(view)", "probe"))
            }
            async let drained: Void = server.core.drain()
            for view in [1, 10, 11, 12, 2, 3, 4, 5, 6, 7, 8, 9] {
                try await client.expect(Wire.closed(view, "serverShutdown"))
            }
            await client.expectEnd()
            await drained
        }
    }

    @Test func `a connection that was accepted and comes to its loop during a drain is closed unread`() async throws {
        try await withServer { server in
            await server.core.drain()
            for isProcess in [false, true] {
                let late = await server.connect(isProcess: isProcess)
                late.send(#"{"jsonrpc":"2.0","id":0,"method":"initialize"}"#)
                await late.expectEnd()
            }
            #expect(server.core.counts.connections == 0)
        }
    }

    @Test func `a drain with no client is over at once`() async throws {
        try await withServer { await $0.core.drain() }
    }
}
