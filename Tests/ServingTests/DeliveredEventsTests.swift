import Sessions
import Synchronization
import TestSupport
import Testing
import ViewModels

/// What a handler raises is delivered in its turn, also to view models that subscribe in their own isolation.
@Suite(.inTurn, .timeLimit(.minutes(5))) struct DeliveredEventsTests {
    /// - Parameter board: shared by all view models, whichever session they are of.
    private static func register(_ board: Board, in registry: inout Registry) {
        registry.container.register(Board.self) { _ in board }
        registry.add("listener", ListenerViewModel.self)
        registry.addChild("teller", TellerViewModel.self)
        registry.addChild("screen", MainListener.self)
    }

    private static func withBoard(_ body: (TestServer, Board) async throws -> Void) async throws {
        let board = Board()
        try await withServer(hasPool: true, register: { register(board, in: &$0) }) { try await body($0, board) }
    }

    /// A listener as view 1, and on it a teller or a listener on the main actor as view 2.
    private static func begin(_ client: TestClient, showing child: String = "show") async throws {
        client.send(Wire.open("1", "listener"))
        let opened = try await client.next()
        let key = try #require(opened.split(separator: #""key":""#).last?.prefix { $0 != "\"" })
        client.send(Wire.viewEvent("2", 1, #"{"kind":"\#(child)"}"#))
        while try await !client.next().contains(#""id":2"#) {}
        client.send(Wire.attach("3", String(key.dropLast()) + "2", since: 0))
        while try await !client.next().contains(#""id":3"#) {}
        // The child has started when this is answered.
        client.send(Wire.viewEvent("4", 2, #"{"kind":"nothing"}"#))
        while try await !client.next().contains(#""id":4"#) {}
    }

    /// Everything up to the answer to an event of a view, without the numbers of events.
    private static func told(
        _ client: TestClient, _ view: Int, _ kind: String, _ value: Int
    ) async throws -> [String] {
        let id = "\(value)"
        client.send(Wire.viewEvent(id, view, #"{"kind":"\#(kind)","value":\#(value)}"#))
        var told: [String] = []
        while true {
            let line = try await client.next()
            guard !line.contains(#""id":\#(id),"#) else { return told }
            let session = line.split(separator: #""session":"#).last?.prefix { $0 != "," } ?? ""
            let event = line.split(separator: #""kind":""#).last?.prefix { $0 != "\"" } ?? ""
            told.append("\(session) \(event)")
        }
    }

    @Test func `an actor hears what a handler of another session raises before that is answered`() async throws {
        try await Self.withBoard { server, _ in
            let client = try await server.connected()
            try await Self.begin(client)
            for number in 10..<40 {
                // With what that one raises again, which the teller hears in its turn.
                #expect(try await Self.told(client, 2, "tell", number).sorted() == ["1 heard", "2 echoed"])
                let later = try await Self.told(client, 2, "tellBehindSuspension", 100 + number)
                #expect(later.sorted() == ["1 heard", "2 echoed"])
            }
        }
    }

    @Test func `a view model on the main actor, and one that hears itself, hear it in the turn`() async throws {
        try await Self.withBoard { server, _ in
            let client = try await server.connected()
            try await Self.begin(client, showing: "showScreen")
            for number in 10..<40 {
                #expect(try await Self.told(client, 1, "tell", number).sorted() == ["1 heard", "2 heard"])
            }
        }
    }

    @Test func `a value that two share is told in the turn that sets it`() async throws {
        try await Self.withBoard { server, _ in
            let client = try await server.connected()
            try await Self.begin(client, showing: "showScreen")
            for number in 10..<40 {
                let told = try await Self.told(client, 1, "set", number)
                #expect(told.sorted() == ["1 label", "1 state", "2 label"])
            }
        }
    }

    @Test func `what an output hears of another session is told before the answer, too`() async throws {
        try await Self.withBoard { server, _ in
            let client = try await server.connected()
            try await Self.begin(client)
            for number in 10..<40 {
                #expect(try await Self.told(client, 2, "pass", number) == ["1 passed"])
            }
        }
    }

    @Test func `two that raise at once each wait for their own`() async throws {
        try await Self.withBoard { server, _ in
            let first = try await server.connected()
            let second = try await server.connected()
            try await Self.begin(first)
            second.send(Wire.open("1", "listener"))
            _ = try await second.next()
            async let others: Void = {
                for number in 10..<60 {
                    second.send(Wire.viewEvent("\(number)", 1, #"{"kind":"tell","value":\#(number)}"#))
                    while try await !second.next().contains(#""id":\#(number),"#) {}
                }
            }()
            for number in 1_000..<1_050 {
                first.send(Wire.viewEvent("\(number)", 2, #"{"kind":"tell","value":\#(number)}"#))
                var told: [String] = []
                repeat { told.append(try await first.next()) } while told.last?.contains(#""id":\#(number),"#) == false
                #expect(told.contains { $0.contains(#"{"kind":"heard","value":\#(number)}"#) }, "\(told)")
            }
            try await others
        }
    }

    @Test func `a handler that throws is answered behind what it raised`() async throws {
        try await Self.withBoard { server, _ in
            let client = try await server.connected()
            try await Self.begin(client)
            for number in 10..<40 {
                #expect(try await Self.told(client, 2, "tellAndThrow", number).sorted() == ["1 heard", "2 echoed"])
            }
        }
    }

    @Test func `what hears it is stored together with the turn, and told before the answer`() async throws {
        let board = Board()
        let lives = Lives(hasPool: true) { registry, _ in Self.register(board, in: &registry) }
        try await lives.begin()
        let client = try await #require(lives.server).connected()
        try await Self.begin(client)
        for number in 10..<40 {
            let commits = lives.store.commits
            #expect(try await Self.told(client, 2, "tell", number).sorted() == ["1 heard", "2 echoed"])
            #expect(lives.store.commits == commits + 1)
        }
        await lives.end()
    }

    @Test func `a handler doesn't wait for what a task of its own raises later`() async throws {
        try await Self.withBoard { server, board in
            let client = try await server.connected()
            try await Self.begin(client)
            #expect(try await Self.told(client, 2, "tellLater", 10).isEmpty)
            board.later.open()
            while try await !client.next().contains(#"{"kind":"heard","value":10}"#) {}
        }
    }

    @Test func `the log names the handler that waits for a subscriber which doesn't return`() async throws {
        try await Self.withBoard { server, board in
            let client = try await server.connected()
            try await Self.begin(client)
            let executor = HeldExecutor()
            let owner = HeldOwner(executor)
            board.told.subscribe(owner) { _, _ in }
            client.send(Wire.viewEvent("10", 2, #"{"kind":"tell","value":10}"#))
            let line = "teller.tell has returned and isn't over"
            await server.pass(.seconds(5)) { server.log.elements.contains { $0.contains(line) } }
            executor.open()
            while try await !client.next().contains(#""id":10,"#) {}
            withExtendedLifetime(owner) {}
        }
    }
}

private enum ListenerEvent: Codable, Sendable { case show, showScreen, tell(Int), set(Int), nothing }
private enum Heard: Codable, Sendable { case heard(Int), echoed(Int), passed(Int), label(Int), state(Int) }

/// Of the whole process.
private final class Board: Sendable {
    let told = Event<Int>()
    let echoed = Event<Int>()
    let passed = Event<Int>()
    let label = Dynamic(0)
    let state = Observed(wrappedValue: 0)
    let later = Gate()
}

private actor ListenerViewModel: ViewModel, PerRequest, DurableViewModel {
    let output = Output<Heard>()
    private let board: Board
    private let navigation: NavigationService

    init(container: Container, arguments: Void) throws {
        board = try container.resolve()
        navigation = try container.resolve()
    }

    func start() {
        board.told.subscribe(self) { this, number in this.hear(number) }
        board.label.bind(self) { this, number in this.output.send(.label(number)) }
        board.state.projectedValue.subscribe(self) { this, number in this.output.send(.state(number)) }
        board.passed.subscribe(output) { output, number in output.send(.passed(number)) }
    }

    private func hear(_ number: Int) {
        output.send(.heard(number))
        board.echoed.raise(number)
    }

    func handle(event: ListenerEvent) throws {
        switch event {
        case .show: try navigation.push(TellerViewModel.self)
        case .showScreen: try navigation.push(MainListener.self)
        case .tell(let number): board.told.raise(number)
        case .set(let number):
            board.label.value = number
            board.state.wrappedValue = number
        case .nothing: break
        }
    }
}

private actor TellerViewModel: ViewModel, PerRequest, DurableViewModel {
    enum ViewEvent: Codable {
        case tell(Int), tellBehindSuspension(Int), tellAndThrow(Int), tellLater(Int), pass(Int), nothing
    }

    let output = Output<Heard>()
    private let board: Board

    init(container: Container, arguments: Void) throws { board = try container.resolve() }

    func start() {
        board.echoed.subscribe(self) { this, number in this.output.send(.echoed(number)) }
    }

    func handle(event: ViewEvent) async throws {
        switch event {
        case .tell(let number): board.told.raise(number)
        case .tellBehindSuspension(let number):
            await Task.yield()
            board.told.raise(number)
        case .tellAndThrow(let number):
            board.told.raise(number)
            throw TestError()
        case .tellLater(let number):
            Task {
                await board.later.wait()
                board.told.raise(number)
            }
        case .pass(let number):
            await Task.yield()
            board.passed.raise(number)
        case .nothing: break
        }
    }
}

@MainActor private final class MainListener: ViewModel, PerRequest {
    enum ViewEvent: Codable { case nothing }

    nonisolated let output = Output<Heard>()
    nonisolated private let board: Board

    nonisolated init(container: Container, arguments: Void) throws { board = try container.resolve() }

    func start() {
        board.told.subscribe(self) { this, number in this.output.send(.heard(number)) }
        board.label.bind(self) { this, number in this.output.send(.label(number)) }
    }

    func handle(event: ViewEvent) {}
}

private struct TestError: Error {}

/// In whose isolation nothing runs before the test says so.
private actor HeldOwner {
    private let executor: HeldExecutor

    init(_ executor: HeldExecutor) { self.executor = executor }

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
}
