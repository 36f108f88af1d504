import Examples
import Serving
import Sessions
import Stores
import Synchronization
import TestSupport
import Testing
import ViewModels

/// View models that are Views of a shared one.
@Suite(.inTurn, .timeLimit(.minutes(4))) struct SharedTests {
    private static func shown(_ session: Int, _ seq: Int, _ sum: Int) -> String {
        Wire.event(session, seq, #"{"kind":"shown","value":\#(sum)}"#)
    }

    private static func add(_ id: String, _ session: Int, _ addend: Int, _ more: String = "") -> String {
        Wire.viewEvent(id, session, #"{"kind":"add","value":\#(addend)}"#, more)
    }

    private static func noted(_ session: Int, _ seq: Int) -> String {
        Wire.event(session, seq, #"{"kind":"noted","value":"own"}"#)
    }

    private static let note = #"{"kind":"note","value":"own"}"#

    private func opened(_ client: TestClient, _ screen: String, key: String, sum: Int = 0) async throws {
        client.send(Wire.open("1", screen))
        try await client.expect(Wire.opened("1", 1, key, screen), Self.shown(1, 1, sum))
    }

    /// Both are answered, and the second one after an event.
    private func expectAnswers(_ client: TestClient, _ first: String, _ second: String, after event: String)
        async throws
    {
        let told = [try await client.next(), try await client.next(), try await client.next()]
        #expect(told.contains { $0.contains(#""id":\#(first),"result""#) })
        #expect(told.contains(event) && told.last != event)
        #expect(told.last?.contains(#""id":\#(second),"result""#) == true, "\(told)")
    }

    @Test(arguments: ["screen of sum", "plain screen of sum"])
    func `what the shared one does in answer comes before the answer`(_ screen: String) async throws {
        try await withServer(register: SumScreen.register) { server in
            let client = try await server.connected()
            try await opened(client, screen, key: "key-1")
            client.send(Self.add("2", 1, 5))
            try await client.expect(Self.shown(1, 2, 5), Wire.seq("2", 2))
            client.send(Wire.viewEvent("3", 1, Self.note))
            try await client.expect(Self.noted(1, 3), Wire.seq("3", 3))
        }
    }

    @Test func `each screen sees what another one sends, and keeps what is its own`() async throws {
        try await withServer(loops: 2, register: SumScreen.register) { server in
            let (ada, bob) = (try await server.connected(loop: 0), try await server.connected(loop: 1))
            try await opened(ada, "screen of sum", key: "key-1")
            ada.send(Self.add("2", 1, 5))
            try await ada.expect(Self.shown(1, 2, 5), Wire.seq("2", 2))
            try await opened(bob, "screen of sum", key: "key-3", sum: 5)
            bob.send(Self.add("2", 1, 7))
            try await bob.expect(Self.shown(1, 2, 12), Wire.seq("2", 2))
            bob.send(Wire.viewEvent("3", 1, Self.note))
            try await bob.expect(Self.noted(1, 3), Wire.seq("3", 3))
            try await ada.expect(Self.shown(1, 3, 12))
            try await ada.expectNothing()
        }
    }

    @Test func `a failure is the answer to the client, unless the view model takes it`() async throws {
        try await withServer(register: SumScreen.register) { server in
            let client = try await server.connected()
            try await opened(client, "screen of sum", key: "key-1")
            client.send(Wire.viewEvent("2", 1, #"{"kind":"refuse","value":"no"}"#))
            #expect(try await client.expectError(-32014, id: "2").contains(#""message":"no""#))
            let other = try await server.connected()
            try await opened(other, "plain screen of sum", key: "key-3")
            other.send(Wire.viewEvent("2", 1, #"{"kind":"refuse","value":"no"}"#))
            try await other.expect(Wire.event(1, 2, #"{"kind":"failed","value":"no"}"#), Wire.seq("2", 2))
        }
    }

    @Test func `the shared one knows the person behind the screen`() async throws {
        let tokens = try Tokens(file: "ada aaaaaaaaaaaaaaaa")
        try await withServer(tokens: tokens, register: SumScreen.register) { server in
            let client = await server.connect()
            client.send(Wire.request("0", "initialize", #"{"token":"aaaaaaaaaaaaaaaa"}"#))
            _ = try await client.next()
            client.send(Wire.request("1", "session/open", #"{"viewModel":"screen of sum","client":"phone"}"#))
            try await client.expect(Wire.opened("1", 1, "key-1", "screen of sum"), Self.shown(1, 1, 0))
            client.send(Wire.viewEvent("2", 1, #"{"kind":"who"}"#))
            try await client.expect(
                Wire.event(1, 2, #"{"kind":"sender","value":"phone ada"}"#), Wire.seq("2", 2))
        }
    }

    @Test func `a client can't send for another`() async throws {
        try await withServer(register: SumScreen.register) { server in
            let client = try await server.connected()
            client.send(Wire.open("1", "sum"))
            _ = try await client.next()
            try await client.expect(Wire.event(1, 1, #"{"kind":"sum","value":0}"#))
            client.send(Wire.viewEvent("2", 1, #"{"kind":"who"}"#, #","from":{"name":"bob","principal":"bob"}"#))
            try await client.expect(
                Wire.event(1, 2, #"{"kind":"sender","value":"- -"}"#), Wire.seq("2", 2))
        }
    }

    @Test func `events and lists are passed on as they are, also to a view that comes late`() async throws {
        try await withServer(register: SumScreen.register) { server in
            let (client, late) = (try await server.connected(), try await server.connected())
            let screen = "passing screen of sum"
            client.send(Wire.open("1", screen))
            try await client.expect(
                Wire.opened("1", 1, "key-1", screen), Wire.event(1, 1, #"{"kind":"sum","value":0}"#))
            client.send(Self.add("2", 1, 5))
            let change = #"{"kind":"addends","count":1,"changes":[{"at":0,"removed":0,"inserted":1}]}"#
            try await client.expect(
                Wire.event(1, 2, change, more: true), Wire.event(1, 3, #"{"kind":"sum","value":5}"#), Wire.seq("2", 3))
            client.send(Wire.request("3", "session/rows", #"{"session":1,"list":"addends","first":0,"count":9}"#))
            try await client.expect(Wire.result("3", #"{"seq":3,"count":1,"first":0,"rows":[5]}"#))
            late.send(Wire.attach("1", "key-1"))
            let snapshot = #"{"kind":"sum","value":5},{"kind":"addends","count":1}"#
            let result = #"{"session":1,"viewModel":"\#(screen)","seq":3,"epoch":"1","snapshot":[\#(snapshot)]}"#
            try await late.expect(Wire.result("1", result))
        }
    }

    @Test(arguments: [
        ("nobody", "this server has no view model of this name that can be opened"),
        ("counter", "nobody shares its sessions: register it with the scope person or everyone"),
    ])
    func `a view model that can't be shared fails the opening`(_ name: String, reason: String) async throws {
        let register = { (registry: inout Registry) in
            registry.add("screen") { ScreenOf(container: $0, name: name) }
        }
        try await withServer(register: register) { server in
            let client = try await server.connected()
            client.send(Wire.open("1", "screen"))
            #expect(try await client.expectError(-32014, id: "1").contains(#"\"\#(name)\": \#(reason)"#))
        }
    }

    @Test func `view models that wait for each other are told so`() async throws {
        let register = { (registry: inout Registry) in
            registry.add("one", scope: .everyone) { CircleViewModel(container: $0, other: "two") }
            registry.add("two", scope: .everyone) { CircleViewModel(container: $0, other: "one") }
        }
        try await withServer(register: register) { server in
            let client = try await server.connected()
            client.send(Wire.open("1", "one"))
            let error = try await client.expectError(-32014, id: "1")
            #expect(error.contains("the view models wait for each other: one needs two needs one"))
        }
    }

    @Test func `what waits for the shared one is counted, and holds up nothing else`() async throws {
        try await withServer(register: SumScreen.register) { server in
            let client = try await server.connected()
            func waiting() -> Int { server.core.counts.waitingSends }
            try await opened(client, "screen of sum", key: "key-1")
            #expect(waiting() == 0)
            let hold = Hold.named("shared: waits")
            client.send(Wire.viewEvent("2", 1, #"{"kind":"wait","value":"shared: waits"}"#), Self.add("3", 1, 5))
            _ = await hold.began.elements(count: 1)
            client.send(Wire.viewEvent("4", 1, Self.note))
            try await client.expect(Self.noted(1, 2), Wire.seq("4", 2))
            #expect(waiting() == 2)
            hold.gate.open()
            try await expectAnswers(client, "2", "3", after: Self.shown(1, 3, 5))
            #expect(waiting() == 0)
        }
    }

    @Test func `an event of which too many wait is refused with the limit`() async throws {
        var limits = Limits()
        limits.pendingEvents = 2
        try await withServer(limits: limits, register: SumScreen.register) { server in
            let client = try await server.connected()
            try await opened(client, "screen of sum", key: "key-1")
            let hold = Hold.named("shared: full")
            client.send(Wire.viewEvent("2", 1, #"{"kind":"wait","value":"shared: full"}"#))
            _ = await hold.began.elements(count: 1)
            client.send(Self.add("3", 1, 5))
            try await client.expectNothing()
            client.send(Self.add("4", 1, 7))
            let error = try await client.expectError(-32015, id: "4")
            #expect(error.contains(#"2 events for \"sum\" wait in this session"#), "\(error)")
            hold.gate.open()
            try await expectAnswers(client, "2", "3", after: Self.shown(1, 2, 5))
        }
    }

    @Test func `what a screen sends as it takes itself off is handled`() async throws {
        try await withServer(register: SumScreen.register) { server in
            let (client, watcher) = (try await server.connected(), try await server.connected())
            watcher.send(Wire.open("1", "sum"))
            _ = try await watcher.next()
            try await watcher.expect(Wire.event(1, 1, #"{"kind":"sum","value":0}"#))
            client.send(Wire.open("1", "asker"), Wire.viewEvent("2", 1, #"{"kind":"ask"}"#))
            while try await !client.next().contains(#""id":2"#) {}
            client.send(Wire.attach("3", "key-3"))
            _ = try await client.next()
            client.send(Self.add("4", 2, 5))
            try await client.expect(Wire.seq("4", 0))
            #expect(try await client.next().contains("navigation/dismiss"))
            #expect(try await client.next().contains(#""session/closed","params":{"session":2,"reason":"dismissed"}"#))
            #expect(try await watcher.next().contains(#""addends""#))
            try await watcher.expect(Wire.event(1, 3, #"{"kind":"sum","value":5}"#))
        }
    }

    @Test func `the shared one ends when its last screen has gone, and its time is over`() async throws {
        try await withServer(register: SumScreen.register) { server in
            let client = try await server.connected()
            try await opened(client, "plain screen of sum", key: "key-1")
            #expect(server.sessionCount == 2)
            client.cut()
            await until { server.connectionCount == 0 }
            await server.pass(.seconds(181)) { server.sessionCount == 1 }
            await server.pass(.seconds(181)) { server.sessionCount == 0 }
        }
    }
}

/// A View of the view model with some name.
private final class ScreenOf: ViewModel {
    typealias ViewEvent = SumScreen.ViewEvent
    typealias ViewModelEvent = SumScreen.ViewModelEvent

    let output = Output<ViewModelEvent>()
    private let other: Shared<SumViewModel>

    init(container: Container, name: String) {
        other = container.shared(SumViewModel.self, name)
    }

    func handle(event: ViewEvent) {}
}

private final class CircleViewModel: ViewModel {
    typealias ViewEvent = SumViewModel.ViewEvent
    typealias ViewModelEvent = SumViewModel.ViewModelEvent

    let output = Output<ViewModelEvent>()
    private let other: Shared<CircleViewModel>

    init(container: Container, other: String) {
        self.other = container.shared(CircleViewModel.self, other)
    }

    func handle(event: ViewEvent) {}
}
