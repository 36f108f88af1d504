import Sessions
import TestSupport
import Testing
import ViewModels

import Serving

/// What view models of one scene do reaches the others in a later life, too.
@Suite(.inTurn, .timeLimit(.minutes(5))) struct ResumptionTests {
    @Test func `no view model handles an event before all of its scene have gone on`() async throws {
        let gate = Gate()
        let lives = Lives { registry, life in
            registry.add("listener") { try ListenerViewModel(container: $0, life > 1 ? gate : nil) }
            registry.addChild("teller", TellerViewModel.self)
        }
        try await lives.begin()
        let first = try await #require(lives.server).connected()
        first.send(
            Wire.open("1", "listener"), Wire.viewEvent("2", 1, #"{"kind":"show"}"#),
            Wire.viewEvent("3", 1, #"{"kind":"show"}"#))
        while try await !first.next().contains(#""id":3"#) {}
        for (view, key) in [(2, "life-1-2"), (3, "life-1-3")] {
            first.send(Wire.attach("\(view)4", key, since: 0), Wire.viewEvent("\(view)5", view, #"{"kind":"tell"}"#))
            while try await !first.next().contains(#""id":\#(view)5"#) {}
        }
        await lives.end()

        try await lives.begin()
        let client = try await #require(lives.server).connected()
        // Both have gone on, and the one that they tell hasn't.
        for (view, key) in [(1, "life-1-2"), (2, "life-1-3")] {
            client.send(Wire.attach("\(view)1", key, since: 1))
            _ = try await client.next()
            client.send(Wire.viewEvent("\(view)2", view, #"{"kind":"tell"}"#))
        }
        try await client.expectNothing()
        gate.open()
        var told: [String] = []
        for _ in 1...4 { told.append(try await client.next()) }
        for view in 1...2 {
            #expect(told.contains(Wire.event(view, 2, #"{"kind":"told"}"#)), "\(told)")
            #expect(told.contains(Wire.seq("\(view)2", 2)), "\(told)")
        }
        client.send(Wire.attach("3", "life-1-1", since: 0), Wire.request("4", "ping"))
        repeat { told.append(try await client.next()) } while told.last != Wire.result("4")
        #expect(told.count { $0.contains(#"{"kind":"heard"}"#) } == 4, "\(told)")
        await lives.end()
    }

    /// A client of the life after the one in which a listener has shown a teller.
    private func secondLife(of lives: Lives) async throws -> TestClient {
        try await lives.begin()
        let first = try await #require(lives.server).connected()
        first.send(Wire.open("1", "listener"), Wire.viewEvent("2", 1, #"{"kind":"show"}"#))
        while try await !first.next().contains(#""id":2"#) {}
        first.send(Wire.attach("3", "life-1-2", since: 0), Wire.request("4", "ping"))
        while try await first.next() != Wire.result("4") {}
        await lives.end()
        try await lives.begin()
        return try await #require(lives.server).connected()
    }

    @Test func `one that can't go on holds up no other`() async throws {
        let lives = Lives { registry, life in
            registry.add("listener") { try ListenerViewModel(container: $0, nil, fails: life > 1) }
            registry.addChild("teller", TellerViewModel.self)
        }
        let client = try await secondLife(of: lives)
        client.send(Wire.attach("1", "life-1-2", since: 0), Wire.viewEvent("2", 1, #"{"kind":"tell"}"#))
        // Whichever way, it is answered.
        while try await !client.next().contains(#""id":2"#) {}
        await lives.end()
    }

    @Test func `one that is closed before it has gone on holds up no other`() async throws {
        let lives = Lives { registry, life in
            registry.add("listener") { try ListenerViewModel(container: $0, nil) }
            if life == 1 {
                registry.addChild("teller", TellerViewModel.self)
            } else {
                registry.addChild("teller", StuckTellerViewModel.self)
            }
        }
        let client = try await secondLife(of: lives)
        client.send(Wire.attach("1", "life-1-1"), Wire.attach("2", "life-1-2"))
        while try await !client.next().contains(#""id":2"#) {}
        client.send(Wire.viewEvent("3", 1, #"{"kind":"show"}"#))
        try await client.expectNothing()
        client.send(Wire.request("4", "session/close", #"{"session":2}"#))
        // Whichever way, it is answered.
        while try await !client.next().contains(#""id":3"#) {}
        StuckTellerViewModel.gate.open()
        await lives.end()
    }
}

/// The view models of one session are told by each other through this.
private final class News: Singleton {
    static let scope = SingletonScope.session

    let told = Event<Int>()

    init(container: Container, arguments: Void) {}
}

/// Says what it hears.
private final class ListenerViewModel: ViewModel, DurableViewModel {
    enum ViewEvent: Codable { case show }
    enum ViewModelEvent: Codable { case heard }
    struct Failure: Error {}

    let output = Output<ViewModelEvent>()
    private let news: News
    private let navigation: NavigationService
    private let gate: Gate?
    private let fails: Bool

    init(container: Container, _ gate: Gate?, fails: Bool = false) throws {
        news = try container.resolve()
        navigation = try container.resolve()
        self.gate = gate
        self.fails = fails
    }

    func start() {
        news.told.subscribe(output) { output, _ in output.send(.heard) }
    }

    func resume() async throws {
        if fails { throw Failure() }
        await gate?.wait()
        start()
    }

    func handle(event: ViewEvent) throws {
        try navigation.push(TellerViewModel.self)
    }
}

private final class TellerViewModel: ViewModel, PerRequest, DurableViewModel {
    enum ViewEvent: Codable { case tell }
    enum ViewModelEvent: Codable { case told }

    let output = Output<ViewModelEvent>()
    private let news: News

    init(container: Container, arguments: Void) throws { news = try container.resolve() }

    func handle(event: ViewEvent) {
        news.told.raise(1)
        output.send(.told)
    }
}

/// What a teller is in a later life that doesn't go on before a gate is open.
private final class StuckTellerViewModel: ViewModel, PerRequest, DurableViewModel {
    enum ViewEvent: Codable { case tell }
    enum ViewModelEvent: Codable { case told }

    /// For one test: a view model on another one gets nothing of its test's own.
    static let gate = Gate()

    let output = Output<ViewModelEvent>()

    init(container: Container, arguments: Void) {}

    func resume() async { await Self.gate.wait() }

    func handle(event: ViewEvent) {}
}
