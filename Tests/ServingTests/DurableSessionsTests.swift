import Examples
import Sessions
import Stores
import Synchronization
import TestSupport
import Testing
import Transport
import ViewModels

import Serving

/// Sessions that outlive their server: what was told stays told, and each view event takes effect once.
@Suite(.inTurn, .timeLimit(.minutes(5))) struct DurableSessionsTests {
    /// The way of a user through the orders.
    private static let orders: [ReturningClient.Step] = [
        .open("orders", arguments: #"{"count":3,"delay":0}"#),
        .send("orders", #"{"kind":"loadOrders"}"#),
        .send("orders", #"{"kind":"selectOrder","index":1}"#),
        .attach("orderDetails"),
        .send("orderDetails", #"{"kind":"editNote","value":"blue"}"#),
        .send("orderDetails", #"{"kind":"cancelOrder"}"#),
        .attach("confirmCancel"),
        .send("confirmCancel", #"{"kind":"confirm"}"#),
        .send("orderDetails", #"{"kind":"saveNote"}"#),
        .back("orderDetails"),
        .send("orders", #"{"kind":"selectOrder","index":0}"#),
    ]

    private static let counter: [ReturningClient.Step] =
        [.open("counter", arguments: #"{"start":5}"#)]
        + (1...6).map { .send("counter", #"{"kind":"increment","by":\#($0)}"#) }

    private static let todos: [ReturningClient.Step] = [
        .open("todos"), .send("todos", #"{"kind":"add","title":"one"}"#),
        .send("todos", #"{"kind":"add","title":"two"}"#), .send("todos", #"{"kind":"toggle","id":1}"#),
        .send("todos", #"{"kind":"removeDone"}"#), .send("todos", #"{"kind":"add","title":"three"}"#),
    ]

    @Test(arguments: [("counter", counter), ("todos", todos), ("orders", orders)])
    func `a server that ends at any of its commits, before or after it, is noticed by nobody`(
        _ name: String, _ steps: [ReturningClient.Step]
    ) async throws {
        let undisturbed = Lives()
        let expected = try await undisturbed.play(steps)
        let commits = undisturbed.playedCommits
        #expect(commits >= steps.count, "each step is stored")
        #expect(undisturbed.count == 1)
        var ended = 0
        for call in 1...commits {
            for fault in [MemoryStore.Fault.endsBefore, .endsAfter] {
                let lives = Lives()
                lives.store.fail(at: call, fault)
                var told = try await lives.play(steps)
                // Only a state replaces the one before, and never the newest.
                if name == "todos" { told = told.fillingReplaced(from: expected) }
                #expect(told == expected, "\(name) with a server that \(fault) commit \(call)")
                ended += lives.count - 1
            }
        }
        // Turns that come together may be one commit, so there may be fewer, and the last may come after the last answer.
        #expect(ended > commits, "most servers have ended in the middle")
    }

    @Test func `a view is told of a state until the newer one that replaces it is stored`() async throws {
        let lives = Lives { registry, _ in registry.add("dial") { DialViewModel() } }
        try await lives.begin()
        let server = try #require(lives.server)
        let client = try await server.connected()
        client.send(Wire.open("1", "dial"), Wire.viewEvent("2", 1, #"{"kind":"turn","to":1}"#))
        try await client.expect(
            Wire.opened("1", 1, "life-1-1", "dial"), Wire.event(1, 1, #"{"kind":"position","value":1}"#, more: true),
            Wire.event(1, 2, #"{"kind":"click"}"#), Wire.seq("2", 2))
        lives.store.fail(at: 1, .isAway)
        client.send(Wire.viewEvent("3", 1, #"{"kind":"turn","to":2}"#))
        await until { lives.journal?.failure != nil }
        // The next life would have told it so, and the view wouldn't ask for number 1 any more.
        let late = try await server.connected()
        late.send(Wire.attach("1", "life-1-1", since: 0), Wire.request("2", "ping"))
        _ = try await late.next()
        try await late.expect(
            Wire.event(1, 1, #"{"kind":"position","value":1}"#, more: true), Wire.event(1, 2, #"{"kind":"click"}"#),
            Wire.storeTrouble("2", lives.journal?.failure?.reason))
        lives.store.mend()
        try await late.expect(
            Wire.event(1, 3, #"{"kind":"position","value":2}"#, more: true), Wire.event(1, 4, #"{"kind":"click"}"#))
        let last = try await server.connected()
        last.send(Wire.attach("1", "life-1-1", since: 0))
        let told = [try await last.next(), try await last.next()]
        #expect(told[1].hasSuffix(#""seq":2,"event":{"kind":"click"},"after":0}}"#), "\(told)")
        await lives.end()
    }

    @Test func `going back is answered when it is stored, and behind what it changes`() async throws {
        let lives = Lives()
        let client = try await lives.beginWithDetails()
        lives.store.fail(at: 1, .isAway)
        client.send(Wire.request("5", "navigation/back", #"{"session":2}"#))
        await until { lives.journal?.failure != nil }
        client.send(Wire.request("6", "navigation/back", #"{"session":1}"#))
        var told: [String] = []
        func next(until end: String) async throws {
            repeat { told.append(try await client.next()) } while told.last?.contains(end) == false
        }
        try await next(until: #""id":6"#)
        #expect(!told.contains { $0.contains("navigation/pop") || $0.contains(#""id":5"#) }, "\(told)")
        lives.store.mend()
        try await next(until: "navigation/pop")
        #expect(!told.contains { $0.contains(#""id":5"#) }, "\(told)")
        try await next(until: #""id":5"#)
        #expect(told.last == Wire.result("5"))
        await lives.end()
    }

    @Test func `who leaves ends no durable session, and finds it in the next life`() async throws {
        let lives = Lives()
        let client = try await lives.beginWithDetails()
        let other = try await #require(lives.server).connected()
        other.send(Wire.attach("1", "life-1-1"))
        _ = try await other.next()
        for leaving in [client, other] {
            leaving.send(Wire.request("9", "shutdown"))
            while try await leaving.next() != Wire.result("9") {}
            leaving.send(Wire.notification("exit"))
        }
        #expect(lives.store.scenes.flatMap(\.sessions).map(\.header.viewModel) == ["orders", "orderDetails"])
        await lives.end()
        try await lives.begin()
        let back = try await #require(lives.server).connected()
        back.send(Wire.attach("1", "life-1-1"))
        let answer = try await back.next()
        #expect(answer.contains(#""stack":[{"viewModel":"orderDetails","key":"life-1-2"}]"#), "\(answer)")
        await lives.end()
    }

    @Test(arguments: [true, false])
    func `what is sent in one piece with a shutdown and an exit is answered before them, though the store is slow`(
        _ isNew: Bool
    ) async throws {
        let lives = Lives()
        var client = try await lives.connect()
        if !isNew {
            client.send(Wire.open("0", "counter"))
            _ = try await client.next()
            await lives.end()
            client = try await lives.connect()
        }
        let stored = Semaphore()
        lives.store.hold(until: stored)
        let event = #"{"kind":"increment","by":1}"#
        client.send(
            isNew ? Wire.open("1", "counter") : Wire.attach("1", "life-1-1"), Wire.viewEvent("2", 1, event),
            Wire.viewEvent("3", 1, event), Wire.request("4", "shutdown"), Wire.notification("exit"))
        await until { lives.store.isHeld }
        stored.post()
        var answers: [String] = []
        while answers.last?.contains(#""id":4"#) != true { answers.append(try await client.next()) }
        #expect(answers.filter { $0.contains(#""id":"#) }.map { $0.contains("result") } == [true, true, true, true])
        await client.expectEnd(status: 0)
        await lives.end()
    }

    @Test(arguments: [true, false])
    func `a shutdown waits a quarter of a second for a durable session's handler, and not at all for another's`(
        _ isDurable: Bool
    ) async throws {
        let hold = Hold.named("a shutdown, \(isDurable)")
        let lives = Lives { registry, _ in registry.add("slow") { SlowViewModel(hold) } }
        let client = try await lives.connect()
        let event = isDurable ? #"{"kind":"wait"}"# : #"{"kind":"waitRegardless"}"#
        client.send(
            isDurable ? Wire.open("1", "slow") : Wire.open("1", "probe", #"{"hold":"a shutdown, false"}"#),
            Wire.viewEvent("2", 1, event))
        #expect(try await client.next().contains(#""id":1"#))
        _ = await hold.began.elements(count: 1)
        let clock = try #require(lives.server).clock
        let others = clock.sleeperCount
        client.send(Wire.request("3", "shutdown"))
        if isDurable {
            await until { clock.sleeperCount > others }
            clock.advance(by: .milliseconds(249))
            #expect(clock.sleeperCount > others, "it waits")
            clock.advance(by: .milliseconds(1))
        }
        while try await client.next() != Wire.result("3") {}
        hold.gate.open()
        await lives.end()
    }

    @Test(arguments: [2, 3, 1_024])
    func `names that gave way are forgotten in the store, too, and by the next life, which may have room for more`(
        _ later: Int
    ) async throws {
        var limits = Limits()
        limits.clients = 2
        let lives = Lives(limits: limits)
        try await lives.begin()
        let client = try await #require(lives.server).connected()
        client.send(Wire.open("0", "counter"))
        _ = try await client.next()
        for name in ["a", "b", "c", "d"] {
            let named = try await #require(lives.server).connected()
            named.send(
                Wire.request("1", "session/attach", #"{"key":"life-1-1","client":"\#(name)"}"#),
                Wire.viewEvent("2", 1, #"{"kind":"increment","by":1}"#, #","number":1"#))
            while try await !named.next().hasPrefix(#"{"jsonrpc":"2.0","id":2,"result""#) {}
            named.send(Wire.request("3", "session/detach", #"{"session":1}"#))
            while try await named.next() != Wire.result("3") {}
        }
        // The last one went without a turn behind it.
        client.send(Wire.viewEvent("9", 1, #"{"kind":"increment","by":1}"#))
        while try await !client.next().contains(#""id":9,"result""#) {}
        let stored = lives.store.scenes.flatMap(\.sessions).flatMap(\.turn.clients)
        #expect(stored == [.init(client: "c", number: 1), .init(client: "d", number: 1)])
        await lives.end()
        lives.limits.clients = later
        try await lives.begin()
        let back = try await #require(lives.server).connected()
        for (name, handled) in [("a", nil), ("c", 1), ("d", 1)] as [(String, Int?)] {
            back.send(Wire.request("\"\(name)\"", "session/attach", #"{"key":"life-1-1","client":"\#(name)"}"#))
            let answer = try await back.next()
            #expect(answer.contains(#""handled":1"#) == (handled == 1), "\(answer)")
            #expect(answer.contains(#""handled""#) == (handled != nil), "\(answer)")
        }
        await lives.end()
    }

    @Test(arguments: [false, true])
    func `closing a session is answered when it is stored`(_ closesChild: Bool) async throws {
        let lives = Lives()
        let client = try await lives.beginWithDetails()
        let stored = lives.store.scenes
        lives.store.fail(at: 1, .isAway)
        client.send(Wire.request("5", "session/close", closesChild ? #"{"session":2}"# : #"{"session":1}"#))
        await until { lives.journal?.failure != nil }
        client.send(Wire.request("6", "ping", "{}"))
        var told: [String] = []
        let trouble = Wire.storeTrouble("6", lives.journal?.failure?.reason)
        repeat { told.append(try await client.next()) } while told.last != trouble
        #expect(!told.contains(Wire.result("5")))
        #expect(lives.store.scenes == stored)
        lives.store.mend()
        while try await client.next() != Wire.result("5") {}
        let left = lives.store.scenes.flatMap(\.sessions).map(\.header.viewModel)
        #expect(left == (closesChild ? ["orders"] : []))
        await lives.end()
    }

    @Test func `a request that a server's end cuts off isn't told of an end of the session`() async throws {
        let lives = Lives()
        try await lives.begin()
        let server = try #require(lives.server)
        let client = try await server.connected()
        client.send(
            Wire.open("1", "orders", #"{"count":3,"delay":9}"#), Wire.viewEvent("2", 1, #"{"kind":"loadOrders"}"#),
            Wire.viewEvent("3", 1, #"{"kind":"selectOrder","index":1}"#), Wire.request("4", "ping"))
        try await client.expect(Wire.result("4"))
        try await client.expect(Wire.opened("1", 1, "life-1-1", "orders"))
        // The grace period is over.
        async let hasStopped: Void = server.core.stopSessions()
        await client.expectEnd()
        await hasStopped
        await lives.end()
    }

    @Test func `a session that nobody looks at leaves memory, and is made again when it is attached`() async throws {
        let lives = Lives()
        try await lives.begin()
        let client = ReturningClient { try await lives.connect() }
        for step in Self.orders.prefix(6) { try await client.perform(step) }
        let server = try #require(lives.server)
        #expect(server.sessionCount == 3)
        lives.cut()
        await until { server.connectionCount == 0 }
        await server.pass(.seconds(61)) { server.sessionCount == 0 }
        for step in Self.orders.dropFirst(6) { try await client.perform(step) }
        #expect(client.told == (try await Lives().play(Self.orders)))
        #expect(lives.count == 1)
        await lives.end()
    }

    @Test func `a durable session that gives way to others leaves memory, and not the store`() async throws {
        var limits = Limits()
        limits.hostedSessions = 1
        let lives = Lives(limits: limits)
        try await lives.begin()
        let client = ReturningClient { try await lives.connect() }
        for step in Self.counter.prefix(3) { try await client.perform(step) }
        let server = try #require(lives.server)
        lives.cut()
        await until { server.connectionCount == 0 }
        let other = try await lives.connect()
        other.send(Wire.open("1", "hello"), Wire.request("2", "session/close", #"{"session":1}"#))
        try await other.expect(
            Wire.opened("1", 1, "life-1-2", "hello"), Wire.event(1, 1, #"{"kind":"helloText","value":""}"#),
            Wire.result("2"))
        #expect(lives.store.scenes.count == 1)
        for step in Self.counter.dropFirst(3) { try await client.perform(step) }
        #expect(client.told == (try await Lives().play(Self.counter)))
        await lives.end()
    }

    @Test func `a draining server leaves durable sessions to the next one, and tells no view that they end`()
        async throws
    {
        let lives = Lives()
        try await lives.begin()
        let client = ReturningClient { try await lives.connect() }
        for step in Self.counter.prefix(3) { try await client.perform(step) }
        await lives.drain()
        for step in Self.counter.dropFirst(3) { try await client.perform(step) }
        #expect(client.told == (try await Lives().play(Self.counter)))
        #expect(lives.count == 2)
        await lives.end()
    }

    @Test func `while the store is away view events and opens are refused, and nothing is told that isn't stored`()
        async throws
    {
        let lives = Lives()
        try await lives.begin()
        let server = try #require(lives.server)
        let client = try await server.connected()
        client.send(Wire.request("1", "session/open", #"{"viewModel":"counter","client":"me"}"#))
        try await client.expect(
            Wire.opened("1", 1, "life-1-1", "counter"), Wire.event(1, 1, #"{"kind":"count","value":0}"#))
        lives.store.fail(at: 1, .isAway)
        client.send(Wire.viewEvent("2", 1, #"{"kind":"increment","by":1}"#, #","number":1"#))
        await until { lives.journal?.failure != nil }
        client.send(Wire.viewEvent("3", 1, #"{"kind":"increment","by":1}"#, #","number":2"#))
        let refused = try await client.expectError(-32016, id: "3")
        #expect(refused.contains(#""data":{"retryAfterMs":1000}"#))
        client.send(Wire.open("4", "counter"))
        try await client.expectError(-32016, id: "4")
        client.send(Wire.request("5", "session/attach", #"{"key":"unknown"}"#))
        try await client.expectError(-32016, id: "5")
        // Others aren't held up.
        client.send(Wire.open("6", "hello"))
        try await client.expect(Wire.opened("6", 2, "life-1-2", "hello"))
        _ = try await client.next()
        lives.store.mend()
        try await client.expect(Wire.event(1, 2, #"{"kind":"count","value":1}"#), Wire.seq("2", 2))
        client.send(Wire.viewEvent("7", 1, #"{"kind":"increment","by":1}"#, #","number":2"#))
        try await client.expect(Wire.event(1, 3, #"{"kind":"count","value":2}"#), Wire.seq("7", 3))
        await lives.end()
    }

    @Test func `an event that is sent again while the store is away isn't refused, since it may be stored yet`()
        async throws
    {
        let lives = Lives()
        try await lives.begin()
        let server = try #require(lives.server)
        let (client, back) = (try await server.connected(), try await server.connected())
        client.send(Wire.request("1", "session/open", #"{"viewModel":"counter","client":"me"}"#))
        try await client.expect(
            Wire.opened("1", 1, "life-1-1", "counter"), Wire.event(1, 1, #"{"kind":"count","value":0}"#))
        lives.store.fail(at: 1, .isAway)
        let event = #"{"kind":"increment","by":1}"#
        client.send(Wire.viewEvent("2", 1, event, #","number":1"#))
        await until { lives.journal?.failure != nil }
        // The client was cut off, and comes back. Its number is taken, and nothing of it is stored.
        back.send(
            Wire.request("1", "session/attach", #"{"key":"life-1-1","since":1,"client":"me"}"#),
            Wire.viewEvent("2", 1, event, #","number":1"#), Wire.viewEvent("3", 1, event, #","number":2"#))
        #expect(try await back.next().contains(#""handled":1"#))
        try await back.expectError(-32016, id: "3")
        lives.store.mend()
        try await back.expect(Wire.event(1, 2, #"{"kind":"count","value":1}"#), Wire.seq("2", 2))
        back.send(Wire.viewEvent("4", 1, event, #","number":2"#))
        try await back.expect(Wire.event(1, 3, #"{"kind":"count","value":2}"#), Wire.seq("4", 3))
        await lives.end()
    }

    @Test func `a client doesn't wait for a store that is slow to read`() async throws {
        let reading = Semaphore()
        let journal = try Journal(MemoryStore(reading: reading))
        try await withServer(journal: journal) { server in
            let client = try await server.connected()
            client.send(Wire.request("1", "session/attach", #"{"key":"stored"}"#))
            try await server.turns()
            server.pass(Limits().storeTime)
            #expect(try await client.expectError(-32016, id: "1").contains("(storeTime)"))
            #expect(server.exceeded == ["storeTime": 1])
            #expect(server.log.elements.contains { $0.hasSuffix("(storeTime)") })
            reading.post()
        }
    }

    @Test func `a closed session is gone from the store, and one that is taken off the screen, too`() async throws {
        let lives = Lives()
        try await lives.begin()
        let client = ReturningClient { try await lives.connect() }
        for step in Self.orders.prefix(6) { try await client.perform(step) }
        #expect(
            lives.store.scenes.flatMap(\.sessions).map(\.header.viewModel) == [
                "orders", "orderDetails", "confirmCancel",
            ])
        for step in Self.orders[6...9] { try await client.perform(step) }
        await until { lives.store.scenes.flatMap(\.sessions).map(\.header.viewModel) == ["orders"] }
        let other = try await lives.connect()
        other.send(Wire.attach("1", "life-1-1", since: 0), Wire.request("2", "session/close", #"{"session":1}"#))
        await until { lives.store.scenes.isEmpty }
        await lives.end()
    }
}

/// Tells its position, of which only the newest counts, and that it was turned.
private final class DialViewModel: ViewModel, DurableViewModel {
    enum ViewEvent: Codable { case turn(to: Int) }

    enum ViewModelEvent: Codable, ReplaceableEvent {
        case position(Int)
        case click

        var coalescingKey: String? {
            switch self {
            case .position: "position"
            case .click: nil
            }
        }
    }

    let output = Output<ViewModelEvent>()

    func handle(event: ViewEvent) {
        guard case .turn(let position) = event else { return }
        output.send(.position(position))
        output.send(.click)
    }
}

private actor SlowViewModel: ViewModel, DurableViewModel {
    enum ViewEvent: Codable, Sendable { case wait }
    enum ViewModelEvent: Codable, Sendable { case never }

    let output = Output<ViewModelEvent>()
    @Saved private var count = 0
    private let hold: Hold

    init(_ hold: Hold) {
        self.hold = hold
    }

    func handle(event: ViewEvent) async {
        await hold.stand()
        count += 1
    }
}

extension [String: [Int: String]] {
    /// With the events that were replaced before a client was told of them.
    fileprivate func fillingReplaced(from expected: Self) -> Self {
        var filled = self
        for (viewModel, events) in self {
            for (number, text) in events where text == ReturningClient.replaced {
                filled[viewModel]?[number] = expected[viewModel]?[number]
            }
        }
        return filled
    }
}
