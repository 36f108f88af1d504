import Sessions
import Synchronization
import TestSupport
import Testing
import Transport
import ViewModels

import Serving

/// The hooks of a view model's life, by all that can happen to its clients.
@Suite(.inTurn, .timeLimit(.minutes(4)))
struct ServedModelLifeTests {
    private func withLiving(
        hasPool: Bool = false, _ body: (TestServer, Recorder<String>) async throws -> Void
    ) async throws {
        let steps = Recorder<String>()
        try await withServer(hasPool: hasPool, register: { Living.register(in: &$0, steps) }) { server in
            try await body(server, steps)
        }
    }

    /// A client with a view of the new session `key-1`.
    private func opened(_ server: TestServer, _ arguments: String = "{}") async throws -> TestClient {
        let client = try await server.connected()
        client.send(Wire.open("1", "living", arguments))
        try await client.expect(Wire.opened("1", 1, "key-1", "living"))
        return client
    }

    @Test func `detached and attached again`() async throws {
        try await withLiving { server, steps in
            let client = try await opened(server)
            client.send(Wire.request("2", "session/detach", #"{"session":1}"#))
            try await client.expect(Wire.result("2"))
            #expect(await steps.elements(count: 3) == ["a: start", "a: appear", "a: disappear"])
            client.send(Wire.attach("3", "key-1", since: 0))
            _ = try await client.next()
            #expect(await steps.elements(count: 4).last == "a: appear")
        }
    }

    @Test func `a connection that is lost, and the end of the resume window`() async throws {
        try await withLiving { server, steps in
            let client = try await opened(server)
            _ = await steps.elements(count: 2)
            client.cut()
            #expect(await steps.elements(count: 3).last == "a: disappear")
            await server.clock.sleepers(1)
            server.pass(.seconds(180))
            #expect(await steps.elements(count: 4).last == "a: stop")
        }
    }

    @Test func `closed, and shut down`() async throws {
        try await withLiving { server, steps in
            let client = try await opened(server)
            client.send(Wire.request("2", "session/close", #"{"session":1}"#))
            try await client.expect(Wire.result("2"))
            let life = ["a: start", "a: appear", "a: disappear", "a: stop"]
            #expect(await steps.elements(count: 4) == life)
            client.send(Wire.open("3", "living"))
            try await client.expect(Wire.opened("3", 2, "key-2", "living"))
            client.send(Wire.request("4", "shutdown"))
            try await client.expect(Wire.result("4"))
            #expect(await steps.elements(count: 8) == life + life)
        }
    }

    @Test func `children that are taken off stop first, and those that nobody saw never began`() async throws {
        try await withLiving { server, steps in
            let client = try await opened(server)
            client.send(Wire.viewEvent("2", 1, #"{"kind":"push"}"#))
            try await client.expect(Wire.shown("push", 1, 1, "living", "key-2"), Wire.seq("2", 1))
            client.send(Wire.attach("3", "key-2"))
            _ = try await client.next()
            #expect(await steps.elements(count: 4) == ["a: start", "a: appear", "b: start", "b: appear"])
            client.send(Wire.viewEvent("4", 2, #"{"kind":"push"}"#))
            try await client.expect(Wire.seq("4", 0), Wire.shown("push", 1, 2, "living", "key-3"))
            // The child takes off the one on it, which nobody has attached to, and then itself, inside a handler.
            client.send(Wire.viewEvent("5", 2, #"{"kind":"pop"}"#), Wire.viewEvent("6", 2, #"{"kind":"pop"}"#))
            let steps = await steps.elements(count: 8)
            #expect(steps[4...] == ["b: popped", "b: popped", "b: disappear", "b: stop"])
        }
    }

    @Test func `a drain waits for stop`() async throws {
        try await withLiving { server, steps in
            let client = try await opened(server, #"{"stops":"drained stop"}"#)
            _ = await steps.elements(count: 2)
            async let drained: Void = drain(server, steps)
            try await client.expect(Wire.closed(1, "serverShutdown"))
            await client.expectEnd()
            _ = await steps.elements(count: 3)
            Hold.named("drained stop").gate.open()
            await drained
            #expect(steps.elements == ["a: start", "a: appear", "a: disappear", "a: stop", "drained"])
        }
    }

    private func drain(_ server: TestServer, _ steps: Recorder<String>) async {
        await server.core.drain()
        steps.record("drained")
    }

    @Test func `a stop that doesn't return holds up a drain for its grace, and is in the log`() async throws {
        try await withLiving { server, steps in
            let client = try await opened(server, #"{"stops":"stuck stop"}"#)
            _ = await steps.elements(count: 2)
            async let drained: Void = drain(server, steps)
            try await client.expect(Wire.closed(1, "serverShutdown"))
            await client.expectEnd()
            _ = await steps.elements(count: 3)
            #expect(!steps.elements.contains("drained"))
            await until {
                server.pass(.seconds(5))
                return steps.elements.contains("drained")
            }
            await drained
            let line =
                "living.stop has not returned 5.0 seconds after the end of its session (drainGrace), and is cancelled"
            #expect(server.log.elements.contains { $0.hasSuffix(line) }, "\(server.log.elements)")
            Hold.named("stuck stop").gate.open()
            #expect(await steps.elements(count: 5).contains("a: stop"))
        }
    }

    @Test func `sessions that are held up by the same are one line in the log`() async throws {
        try await withLiving { server, steps in
            let stuck = #"{"stops":"stuck stops"}"#
            let client = try await opened(server, stuck)
            client.send(Wire.open("2", "living", stuck))
            try await client.expect(Wire.opened("2", 2, "key-2", "living"))
            _ = await steps.elements(count: 4)
            async let drained: Void = drain(server, steps)
            _ = await steps.elements(count: 6)
            await until {
                server.pass(.seconds(5))
                return steps.elements.contains("drained")
            }
            await drained
            let lines = server.log.elements.filter { $0.contains("has not returned") }
            #expect(lines.count == 1 && lines.allSatisfy { $0.hasSuffix("and is cancelled (2 sessions)") }, "\(lines)")
            Hold.named("stuck stops").gate.open()
        }
    }

    @Test func `a stop that blocks its thread holds no loop`() async throws {
        try await withLiving(hasPool: true) { server, steps in
            let client = try await opened(server, #"{"blocks":"blocked stop"}"#)
            client.send(Wire.request("2", "session/close", #"{"session":1}"#))
            try await client.expect(Wire.result("2"))
            _ = await steps.elements(count: 3)
            try await client.expectNothing()
            let other = try await server.connected()
            try await other.expectNothing()
            Hold.named("blocked stop").gate.open()
            #expect(await steps.elements(count: 4).last == "a: stop")
        }
    }
}

private actor Living: ViewModel, PerRequest {
    struct Arguments: Codable, Sendable {
        var name: String?
        /// Names the `Hold` that `stop` waits for, cancelled or not.
        var stops: String?
        /// Names the `Hold` for which `stop` blocks its thread.
        var blocks: String?
    }

    enum ViewEvent: String, Codable { case push, pop }
    enum ViewModelEvent: Codable { case none }

    let output = Output<ViewModelEvent>()
    private let arguments: Arguments
    private let steps: Recorder<String>
    private let navigation: NavigationService

    init(container: Container, arguments: Arguments) throws {
        self.arguments = arguments
        steps = try container.resolve()
        navigation = try container.resolve()
    }

    static func register(in registry: inout Registry, _ steps: Recorder<String>) {
        registry.container.register(Recorder<String>.self) { _ in steps }
        registry.addChild("living", Living.self, canBeOpened: true)
    }

    private func note(_ step: String) { steps.record("\(arguments.name ?? "a"): \(step)") }

    func start() { note("start") }
    func viewsDidAppear() { note("appear") }
    func viewsDidDisappear() { note("disappear") }

    func stop() async {
        if let name = arguments.blocks { Hold.named(name).gate.block() }
        if let name = arguments.stops { await Hold.named(name).gate.wait() }
        note("stop")
    }

    func handle(event: ViewEvent) throws {
        switch event {
        case .push: try navigation.push(Living.self, arguments: Arguments(name: arguments.name == nil ? "b" : "c"))
        case .pop:
            navigation.pop()
            note("popped")
        }
    }
}
