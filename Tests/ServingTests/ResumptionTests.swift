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
        // The answer says that its start is stored.
        first.send(Wire.attach("3", "life-1-2", since: 0), Wire.viewEvent("4", 2, #"{"kind":"tell"}"#))
        while try await !first.next().contains(#""id":4"#) {}
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

    private static let open = Wire.request(
        "1", "session/open",
        #"{"viewModel":"listener","client":"me","once":"once-00000000000000000000000000000000"}"#)

    /// A client of the life after the one in which a listener was opened, by an opening that can be sent again.
    private func clientThatOpensAgain(in lives: Lives) async throws -> TestClient {
        try await lives.begin()
        let first = try await #require(lives.server).connected()
        first.send(Self.open)
        try await first.expect(Wire.opened("1", 1, "life-1-1", "listener"))
        first.send(Wire.viewEvent("2", 1, #"{"kind":"hear"}"#))
        try await first.expect(Wire.event(1, 1, #"{"kind":"heard"}"#), Wire.seq("2", 1))
        await lives.end()
        try await lives.begin()
        let client = try await #require(lives.server).connected()
        client.send(Self.open)
        return client
    }

    @Test func `an opening that is sent again and cancelled leaves the session to whoever else waits for it`()
        async throws
    {
        let gate = Gate()
        let lives = Lives { registry, life in
            registry.add("listener") { container in
                if life == 2 { await gate.wait() }
                return try ListenerViewModel(container: container, nil)
            }
        }
        let client = try await clientThatOpensAgain(in: lives)
        let other = try await #require(lives.server).connected()
        other.send(Wire.attach("1", "life-1-1"))
        client.send(Wire.notification("$/cancelRequest", #"{"id":1}"#), Wire.request("2", "ping"))
        // Before the answer to `ping`: it waits for nothing that the view model does.
        try #require(await client.next().contains(#""id":1,"error":{"code":-32800,"#))
        try await client.expect(Wire.result("2"))
        gate.open()
        #expect(try await other.next().contains(#""seq":1"#))
        other.send(Wire.viewEvent("2", 1, #"{"kind":"hear"}"#))
        try await other.expect(Wire.event(1, 2, #"{"kind":"heard"}"#), Wire.seq("2", 2))
        await lives.end()
        #expect(lives.store.scenes.map(\.header.key) == ["life-1-1"])
    }

    @Test func `an opening that is sent again and fails leaves the session in the store`() async throws {
        let lives = Lives { registry, life in
            registry.add("listener") { container in
                if life == 2 { throw ListenerViewModel.Failure() }
                return try ListenerViewModel(container: container, nil)
            }
        }
        let client = try await clientThatOpensAgain(in: lives)
        var answer = ""
        while !answer.contains(#""id":1,"#) { answer = try await client.next() }
        #expect(answer.contains(#""error":{"code":-32014,"message":"Failure()""#), "\(answer)")
        await lives.end()

        try await lives.begin()
        let last = try await #require(lives.server).connected()
        last.send(Wire.attach("1", "life-1-1", since: 1), Wire.viewEvent("2", 1, #"{"kind":"hear"}"#))
        try #require(await last.next().contains(#""id":1,"result":"#))
        while try await last.next() != Wire.seq("2", 2) {}
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
    enum ViewEvent: Codable { case show, hear }
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
        switch event {
        case .show: try navigation.push(TellerViewModel.self)
        case .hear: output.send(.heard)
        }
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
