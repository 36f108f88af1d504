import Sessions
import Stores
import TestSupport
import Testing
import ViewModels

import Serving

/// What a handler did to objects that sessions share, to other sessions and to what is on screen belongs to its turn: stored
/// with it or not at all, and told by nobody before.
@Suite(.inTurn, .timeLimit(.minutes(5))) struct WholeTurnsTests {
    /// Sessions 1 and 2 of two clients: a shop, and the till that it shows.
    private final class Screen {
        let lives: Lives
        let begun = Gate()
        let gate = Gate()
        private(set) var shop: TestClient
        private(set) var till: TestClient

        init() async throws {
            let lives = Lives { [begun, gate] registry, life in
                let doors = life == 1 ? Doors(begun: begun, gate: gate) : Doors(begun: nil, gate: nil)
                registry.container.register(Doors.self) { _ in doors }
                registry.add("shop") { try ShopViewModel(container: $0) }
                registry.addChild("till", TillViewModel.self)
            }
            self.lives = lives
            try await lives.begin()
            let server = try #require(lives.server)
            (shop, till) = (try await server.connected(), try await server.connected())
            shop.send(
                Wire.request("1", "session/open", #"{"viewModel":"shop","client":"a"}"#),
                Wire.viewEvent("2", 1, #"{"kind":"show"}"#, #","number":1"#))
            while try await !shop.next().contains(#""id":2"#) {}
            try await attachTill()
        }

        private func attachTill() async throws {
            till.send(
                Wire.request("1", "session/attach", #"{"key":"life-1-2","since":0,"client":"b"}"#),
                Wire.viewEvent("2", 1, #"{"kind":"ring"}"#, #","number":1"#))
            while try await !till.next().contains(#""id":2"#) {}
        }

        /// The server that had the sessions is gone, and its clients come back to the next.
        func comeBack() async throws {
            await lives.end()
            lives.store.mend()
            try await lives.begin()
            shop = try await #require(lives.server).connected()
            shop.send(Wire.request("1", "session/attach", #"{"key":"life-1-1","since":0,"client":"a"}"#))
            while try await !shop.next().contains(#""id":1"#) {}
            till = try await #require(lives.server).connected()
            try await attachTill()
        }

        var storedTotal: String? {
            lives.store.scenes.flatMap(\.shared).first { $0.name.hasSuffix("/total") }
                .map { String(decoding: $0.text, as: UTF8.self) }
        }

        func storedNumber(of client: String) -> Int? {
            lives.store.scenes.flatMap(\.sessions).flatMap(\.turn.clients).first { $0.client == client }?.number
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

        func send(_ event: String, to view: Int = 1, number: Int = 2, by client: TestClient) {
            client.send(Wire.viewEvent("\(number + 7)", view, #"{"kind":"\#(event)"}"#, #","number":\#(number)"#))
        }

        /// The answer to the event of this number.
        func answer(_ number: Int = 2, to client: TestClient) async throws -> String {
            while true {
                let message = try await client.next()
                if message.contains(#""id":\#(number + 7),"#) { return message }
            }
        }
    }

    @Test(arguments: ["buy", "buyAndFail"], [false, true])
    func `a change of a shared object is told and stored by no other session before its handler's turn is over`(
        _ event: String, _ isCancelled: Bool
    ) async throws {
        let screen = try await Screen()
        screen.send(event, by: screen.shop)
        await screen.begun.wait()
        screen.send("look", by: screen.till)
        #expect(try await screen.told(to: screen.till).isEmpty)
        // Nor does a snapshot tell it.
        let late = try await #require(screen.lives.server).connected()
        late.send(Wire.attach("1", "life-1-2"))
        #expect(try await screen.told(to: late).isEmpty)
        #expect(screen.storedTotal != "100")
        #expect(screen.storedNumber(of: "b") == 1)
        if isCancelled {
            screen.shop.send(Wire.notification("$/cancelRequest", #"{"id":9}"#))
            #expect(try await screen.told(to: screen.shop).isEmpty)
        }
        screen.gate.open()
        let outcome = try await screen.answer(to: screen.shop)
        #expect(outcome.contains(isCancelled ? "-32800" : event == "buy" ? "result" : "-32014"), "\(outcome)")
        #expect(try await screen.answer(to: screen.till).contains("result"))
        #expect(try await late.next().contains(#"{"kind":"total","value":100}"#))
        #expect(screen.storedTotal == "100")
        #expect(screen.storedNumber(of: "b") == 2)
        await screen.lives.end()
    }

    @Test func `an event whose process ends within its turn takes effect once when it is sent again`() async throws {
        let screen = try await Screen()
        screen.send("buy", by: screen.shop)
        await screen.begun.wait()
        screen.send("look", by: screen.till)
        _ = try await screen.told(to: screen.till)
        screen.lives.store.fail(at: 1, .endsBefore)
        screen.gate.open()
        await until { screen.lives.journal?.failure != nil }
        try await screen.comeBack()
        screen.send("buy", by: screen.shop)
        #expect(try await screen.answer(to: screen.shop).contains("result"))
        screen.send("look", by: screen.till)
        _ = try await screen.answer(to: screen.till)
        #expect(screen.storedTotal == "100")
        await screen.lives.end()
    }

    @Test func `a server that ends while a handler runs stores nothing of its turn`() async throws {
        let screen = try await Screen()
        screen.send("buy", by: screen.shop)
        await screen.begun.wait()
        screen.send("look", by: screen.till)
        _ = try await screen.told(to: screen.till)
        let server = try #require(screen.lives.server)
        async let hasStopped: Void = server.core.stopSessions()
        await screen.shop.expectEnd()
        screen.gate.open()
        await hasStopped
        #expect(screen.storedTotal != "100")
        try await screen.comeBack()
        screen.send("buy", by: screen.shop)
        _ = try await screen.answer(to: screen.shop)
        #expect(screen.storedTotal == "100")
        await screen.lives.end()
    }

    @Test func `what a handler tells other sessions and shows is told with its turn`() async throws {
        let screen = try await Screen()
        screen.send("announce", by: screen.till)
        await screen.begun.wait()
        #expect(try await screen.told(to: screen.shop).isEmpty)
        #expect(screen.lives.store.scenes.flatMap(\.sessions).count == 2)
        screen.gate.open()
        #expect(try await screen.answer(to: screen.till).contains("result"))
        let told = [try await screen.shop.next(), try await screen.shop.next()]
        #expect(told[0].contains(#"{"kind":"heard"}"#) && told[1].contains("navigation/push"), "\(told)")
        #expect(screen.lives.store.scenes.flatMap(\.sessions).count == 3)
        await screen.lives.end()
    }

    @Test func `what a handler tells and shows isn't there after its process has ended`() async throws {
        let screen = try await Screen()
        screen.send("announce", by: screen.till)
        await screen.begun.wait()
        // A turn of the session that was told.
        screen.send("count", by: screen.shop)
        #expect(try await screen.told(to: screen.shop).isEmpty)
        screen.lives.store.fail(at: 1, .endsBefore)
        screen.gate.open()
        await until { screen.lives.journal?.failure != nil }
        try await screen.comeBack()
        screen.send("count", by: screen.shop)
        _ = try await screen.answer(to: screen.shop)
        screen.send("announce", by: screen.till)
        _ = try await screen.answer(to: screen.till)
        #expect(screen.lives.store.scenes.flatMap(\.sessions).count == 3)
        let log = screen.lives.store.scenes.flatMap(\.sessions).first?.turn.entries.map { "\($0.content)" } ?? []
        #expect(log.count { $0.contains("push") } == 2, "\(log)")
        await screen.lives.end()
    }

    @Test(arguments: ["wait", "stream"])
    func `a handler that never ends holds up no session that it had no effect on`(_ event: String) async throws {
        let screen = try await Screen()
        screen.send(event, by: screen.shop)
        await screen.begun.wait()
        for (number, event) in [(2, "pay"), (3, "look"), (4, "ring")] {
            screen.send(event, number: number, by: screen.till)
            #expect(try await screen.answer(number, to: screen.till).contains("result"))
        }
        #expect(screen.storedTotal == "1")
        screen.gate.open()
        _ = try await screen.answer(to: screen.shop)
        await screen.lives.end()
    }

    @Test func `a handler that waits for another session's event goes on with it`() async throws {
        let screen = try await Screen()
        screen.send("ask", by: screen.shop)
        await screen.begun.wait()
        screen.send("reply", by: screen.till)
        #expect(try await screen.answer(to: screen.shop).contains("result"))
        #expect(try await screen.answer(to: screen.till).contains("result"))
        #expect(screen.storedTotal == "6")
        await screen.lives.end()
    }

    @Test func `others go on when a session is closed whose handler has changed a shared object`() async throws {
        let screen = try await Screen()
        screen.send("buy", by: screen.till)
        await screen.begun.wait()
        screen.send("count", by: screen.shop)
        #expect(try await screen.told(to: screen.shop).isEmpty)
        screen.till.send(Wire.request("3", "session/close", #"{"session":1}"#))
        #expect(try await screen.answer(to: screen.shop).contains("result"))
        while try await screen.till.next() != Wire.result("3") {}
        #expect(screen.storedTotal == "100")
        #expect(screen.lives.store.scenes.flatMap(\.sessions).count == 1)
        screen.gate.open()
        await screen.lives.end()
    }
}

/// Where handlers of the first life wait for the test.
private final class Doors: Sendable {
    private let begun: Gate?
    private let gate: Gate?

    init(begun: Gate?, gate: Gate?) {
        self.begun = begun
        self.gate = gate
    }

    func note() { begun?.open() }

    func stand() async {
        begun?.open()
        await gate?.wait()
    }
}

/// The sessions of a scene share it.
private final class Basket: Singleton, DurableSingleton {
    static let scope = SingletonScope.session

    let total = Saved<Int>(0)
    let announced = Event<Int>()
    let reply = Gate()

    init(container: Container, arguments: Void) {}
}

private struct Failure: Error {}

private final class ShopViewModel: ViewModel, DurableViewModel {
    enum ViewEvent: Codable { case show, count, buy, buyAndFail, wait, stream, ask }
    enum ViewModelEvent: Codable { case heard, counted }

    let output = Output<ViewModelEvent>()
    private let basket: Basket
    private let navigation: NavigationService
    private let doors: Doors

    init(container: Container) throws {
        basket = try container.resolve()
        navigation = try container.resolve()
        doors = try container.resolve()
    }

    func start() {
        basket.announced.subscribe(output) { output, _ in output.send(.heard) }
    }

    func resume() { start() }

    func handle(event: ViewEvent) async throws {
        switch event {
        case .show: try navigation.push(TillViewModel.self)
        case .count: output.send(.counted)
        case .buy, .buyAndFail:
            basket.total.update { $0 += 100 }
            await doors.stand()
            if event == .buyAndFail { throw Failure() }
        case .stream:
            output.send(.counted)
            await doors.stand()
        case .wait: await doors.stand()
        case .ask:
            basket.total.update { $0 += 1 }
            doors.note()
            await basket.reply.wait()
        }
    }
}

private final class TillViewModel: ViewModel, PerRequest, DurableViewModel {
    enum ViewEvent: Codable { case ring, look, pay, buy, announce, reply }
    enum ViewModelEvent: Codable { case rung, total(Int) }

    let output = Output<ViewModelEvent>()
    private let basket: Basket
    private let navigation: NavigationService
    private let doors: Doors

    init(container: Container, arguments: Void) throws {
        basket = try container.resolve()
        navigation = try container.resolve()
        doors = try container.resolve()
    }

    func snapshot() -> [ViewModelEvent] { [.total(basket.total.wrappedValue)] }

    func handle(event: ViewEvent) async throws {
        switch event {
        case .ring: output.send(.rung)
        case .look: output.send(.total(basket.total.wrappedValue))
        case .pay: basket.total.update { $0 += 1 }
        case .buy:
            basket.total.update { $0 += 100 }
            await doors.stand()
        case .announce:
            basket.announced.raise(1)
            try navigation.push(TillViewModel.self)
            await doors.stand()
        case .reply:
            basket.total.update { $0 += 5 }
            basket.reply.open()
        }
    }
}
