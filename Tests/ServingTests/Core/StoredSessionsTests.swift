import Sessions
import Stores
import TestSupport
import Testing
import ViewModels

@testable import Serving

/// A scene is in memory once, whichever of its keys it is asked by and whatever of it is ending.
@Suite(.inTurn, .timeLimit(.minutes(5))) struct StoredSessionsTests {
    /// A root that shows a child, to one client.
    private struct Screen {
        let lives: Lives
        let server: TestServer
        let client: TestClient
        let begun = Gate()
        let gate = Gate()

        init(_ transition: String) async throws {
            lives = Lives { [begun, gate] registry, _ in
                registry.add("stage") { try StageViewModel(container: $0, begun, gate) }
                registry.addChild("part", PartViewModel.self)
            }
            try await lives.begin()
            server = try #require(lives.server)
            client = try await server.connected()
            client.send(
                Wire.request("1", "session/open", #"{"viewModel":"stage","client":"me"}"#),
                Wire.viewEvent("2", 1, #"{"kind":"\#(transition)"}"#, #","number":1"#))
            while try await !client.next().contains(#""id":2"#) {}
            client.send(Wire.attach("3", "life-1-2"), Wire.viewEvent("4", 2, #"{"kind":"play"}"#))
            while try await !client.next().contains(#""id":4"#) {}
        }

        /// Everything that was sent to a client by now.
        func told(to client: TestClient) async throws -> [String] {
            client.send(Wire.request("\"told\"", "ping"))
            var told: [String] = []
            while true {
                let message = try await client.next()
                if message.contains(#""id":"told""#) { return told }
                told.append(message)
            }
        }
    }

    @Test func `a client that comes back under a name counts on from what its session has taken, though it isn't done`()
        async throws
    {
        let screen = try await Screen("push")
        let (client, server) = (screen.client, screen.server)
        client.send(
            Wire.viewEvent("5", 1, #"{"kind":"work"}"#, #","number":2"#),
            Wire.viewEvent("6", 1, #"{"kind":"count"}"#, #","number":3"#))
        await screen.begun.wait()
        _ = try await screen.told(to: client)
        client.cut()
        // Another process, which has nothing to send again.
        let next = try await server.connected()
        next.send(Wire.request("1", "session/attach", #"{"key":"life-1-1","since":0,"client":"me"}"#))
        while true {
            let message = try await next.next()
            guard message.contains(#""id":1"#) else { continue }
            #expect(message.contains(#""handled":3"#), "\(message)")
            break
        }
        next.send(Wire.viewEvent("2", 1, #"{"kind":"count"}"#, #","number":4"#))
        screen.gate.open()
        var counted = 0
        while true {
            let message = try await next.next()
            if message.contains(#""kind":"counted""#) { counted += 1 }
            if message.contains(#""id":2"#) { break }
        }
        #expect(counted == 2)
        await screen.lives.end()
    }

    @Test(arguments: [(20, 5), (2, 1), (14_400, 3_600), (604_800, 3_600)])
    func `sessions are looked at four times in their time, once an hour at the least, and none goes before its time`(
        _ storedTime: Int, _ period: Int
    ) async throws {
        var limits = Limits()
        limits.storedTime = .seconds(storedTime)
        let journal = ImmediateJournal(MemoryStore(), clock: ManualClock()) {}
        let server = try TestServer(limits: limits, journal: journal)
        #expect(SessionRestorer(server.core.sessions).sweep() == .seconds(period))
        #expect(journal.sweeps == [.seconds(storedTime + period)])
        await server.stop()
    }

    @Test(arguments: ["push", "present"])
    func `a child that is asked for while its end waits for a root at work isn't made again`(_ transition: String)
        async throws
    {
        let screen = try await Screen(transition)
        let (client, server) = (screen.client, screen.server)
        client.send(Wire.viewEvent("5", 1, #"{"kind":"work"}"#, #","number":2"#))
        await screen.begun.wait()
        client.send(Wire.request("6", "navigation/back", #"{"session":2}"#))
        _ = try await screen.told(to: client)
        let other = try await server.connected()
        other.send(Wire.attach("1", "life-1-2"), Wire.attach("2", "life-1-2", since: 0))
        // Other messages are answered meanwhile, and nobody is told of an end that isn't stored.
        #expect(try await screen.told(to: other).isEmpty)
        #expect(server.sessionCount == 1)
        screen.gate.open()
        try await other.expectError(-32012, id: "1")
        try await other.expectError(-32012, id: "2")
        while try await client.next() != Wire.result("6") {}
        // All that was answered is there in the next life.
        for number in 3...22 {
            client.send(Wire.viewEvent("1\(number)", 1, #"{"kind":"count"}"#, #","number":\#(number)"#))
            while try await !client.next().contains(#""id":1\#(number)"#) {}
        }
        #expect(screen.lives.store.scenes.flatMap(\.sessions).map(\.header.viewModel) == ["stage"])
        #expect(screen.lives.store.scenes.first?.sessions.first?.turn.clients == [.init(client: "me", number: 22)])
        await screen.lives.end()
    }

    @Test func `a request for a child that ends can be cancelled`() async throws {
        let screen = try await Screen("push")
        screen.client.send(Wire.viewEvent("5", 1, #"{"kind":"work"}"#))
        await screen.begun.wait()
        screen.client.send(Wire.request("6", "navigation/back", #"{"session":2}"#))
        _ = try await screen.told(to: screen.client)
        let other = try await screen.server.connected()
        other.send(Wire.attach("1", "life-1-2"), Wire.notification("$/cancelRequest", #"{"id":1}"#))
        try await other.expectError(-32800, id: "1")
        screen.gate.open()
        while try await screen.client.next() != Wire.result("6") {}
        #expect(try await screen.told(to: other).isEmpty)
        await screen.lives.end()
    }

    @Test func `a scene whose root is closed while it works is asked for by its keys in vain`() async throws {
        let screen = try await Screen("push")
        screen.client.send(Wire.viewEvent("5", 1, #"{"kind":"work"}"#))
        await screen.begun.wait()
        let other = try await screen.server.connected()
        screen.client.send(Wire.request("6", "session/close", #"{"session":1}"#))
        other.send(Wire.attach("1", "life-1-1"), Wire.attach("2", "life-1-2"))
        try await other.expectError(-32012, id: "1")
        try await other.expectError(-32012, id: "2")
        screen.gate.open()
        while try await screen.client.next() != Wire.result("6") {}
        #expect(screen.server.sessionCount == 0)
        #expect(screen.lives.store.scenes.isEmpty)
        await screen.lives.end()
    }

    private static func open(_ id: String) -> String {
        Wire.request(id, "session/open", #"{"viewModel":"gated","once":"once-00000000000000000000000000000000"}"#)
    }

    @Test(arguments: [0, 1])
    func `an opening that came twice and is cancelled on one connection goes on for the other`(_ cancelled: Int)
        async throws
    {
        let (begun, gate) = (Gate(), Gate())
        let lives = Lives { registry, _ in
            registry.add("gated") { container in
                begun.open()
                await gate.wait()
                return try StageViewModel(container: container, Gate(), Gate())
            }
        }
        try await lives.begin()
        let server = try #require(lives.server)
        let clients = [try await server.connected(), try await server.connected()]
        clients[0].send(Self.open("1"))
        await begun.wait()
        clients[1].send(Self.open("1"), Wire.request("2", "ping"))
        try await clients[1].expect(Wire.result("2"))
        clients[cancelled].send(Wire.notification("$/cancelRequest", #"{"id":1}"#))
        try await clients[cancelled].expectError(-32800, id: "1")
        gate.open()
        #expect(try await clients[1 - cancelled].next().contains(#""key":"life-1-1""#))
        await lives.end()
        #expect(lives.store.scenes.map(\.header.key) == ["life-1-1"])
    }

    @Test func `a session whose start was cut off, and fails in the next life, stays in the store`() async throws {
        let gate = Gate()
        let lives = Lives { registry, life in
            registry.add("gated") { _ in StartingViewModel(life == 1 ? gate : nil) }
        }
        try await lives.begin()
        let client = try await #require(lives.server).connected()
        client.send(Self.open("1"))
        #expect(try await client.next().contains(#""key":"life-1-1""#))
        lives.store.fail(at: 1, .endsBefore)
        gate.open()
        await until { lives.journal?.failure != nil }
        await lives.end()
        lives.store.mend()
        try await lives.begin()
        let next = try await #require(lives.server).connected()
        next.send(Self.open("1"))
        while try await !next.next().contains("session/closed") {}
        await lives.end()
        #expect(lives.store.scenes.map(\.header.key) == ["life-1-1"])
    }

    @Test func `what was read before a life of its scene ended is outdated`() {
        let session = { (key: String) in
            Session(
                key: key, viewModelName: "stage", model: GoneModel(),
                context: SessionContext(executor: globalConcurrentExecutor, limits: SharedLimits(Limits())))
        }
        let (a, b) = (session("a"), session("b"))
        var lives = StoredLives()
        lives.add(a)
        #expect(lives.ending("a") === a)
        lives.remove(a)
        #expect(lives.ending("a") == nil)
        let first = lives.beginLoad()
        #expect(!lives.isOutdated(first, "a"))
        lives.remove(a)
        let second = lives.beginLoad()
        lives.remove(b)
        #expect(lives.isOutdated(first, "a") && !lives.isOutdated(second, "a"))
        #expect(lives.isOutdated(first, "b") && lives.isOutdated(second, "b"))
        #expect(!lives.isOutdated(first, "c"))
        for session in [a, b] { session.end(.closed) }
    }

    @Test func `a session that is here again is found when its life before is forgotten`() {
        let session = { () in
            Session(
                key: "a", viewModelName: "stage", model: GoneModel(),
                context: SessionContext(executor: globalConcurrentExecutor, limits: SharedLimits(Limits())))
        }
        let (before, after) = (session(), session())
        var sessions = HostedSessions()
        sessions.add(before, of: "me")
        sessions.add(after, of: "me")
        let hasRemovedBefore = sessions.remove(before)
        #expect(!hasRemovedBefore)
        #expect(sessions["a"] === after)
        #expect(sessions.count(of: "me") == 1)
        let hasRemovedAfter = sessions.remove(after)
        #expect(hasRemovedAfter)
        #expect(sessions.count(of: "me") == 0)
        for session in [before, after] { session.end(.closed) }
    }
}

/// Shows a part, and works until a gate is open.
private final class StageViewModel: ViewModel, DurableViewModel {
    enum ViewEvent: Codable { case push, present, work, count }
    enum ViewModelEvent: Codable { case working(Bool), counted }

    let output = Output<ViewModelEvent>()
    private let navigation: NavigationService
    private let presenter: PresenterService
    private let begun: Gate
    private let gate: Gate

    init(container: Container, _ begun: Gate, _ gate: Gate) throws {
        navigation = try container.resolve()
        presenter = try container.resolve()
        self.begun = begun
        self.gate = gate
    }

    func handle(event: ViewEvent) async throws {
        switch event {
        case .push: try navigation.push(PartViewModel.self)
        case .present: try presenter.present(PartViewModel.self)
        case .count: output.send(.counted)
        case .work:
            output.send(.working(true))
            begun.open()
            await gate.wait()
            output.send(.working(false))
        }
    }
}

private final class PartViewModel: ViewModel, PerRequest, DurableViewModel {
    enum ViewEvent: Codable { case play }
    enum ViewModelEvent: Codable { case played }

    let output = Output<ViewModelEvent>()

    init(container: Container, arguments: Void) {}

    func handle(event: ViewEvent) { output.send(.played) }
}

/// Starts when a gate is open; without one it fails.
private final class StartingViewModel: ViewModel, DurableViewModel {
    enum ViewEvent: Codable { case none }
    enum ViewModelEvent: Codable { case none }
    struct Failure: Error {}

    let output = Output<ViewModelEvent>()
    private let gate: Gate?

    init(_ gate: Gate?) { self.gate = gate }

    func start() async throws {
        guard let gate else { throw Failure() }
        await gate.wait()
    }

    func handle(event: ViewEvent) {}
}
