import Sessions
import TestSupport
import Testing
import ViewModels

/// Children whose code has gone or changed: they stay in the store and on screen, and their hosts go on.
@Suite(.inTurn, .timeLimit(.minutes(5))) struct LackingCodeTests {
    enum Code: String, Sendable {
        case same, gone, notDurable, otherState, otherArguments, failingResume, otherShared, failingHost, otherHost

        fileprivate func register(in registry: inout Registry) {
            switch self {
            case .failingHost: registry.add("host", FailingHost.self)
            case .otherHost: registry.add("host", CountingHost.self)
            default: registry.add("host", HostViewModel.self)
            }
            switch self {
            case .same, .failingHost, .otherHost: registry.addChild("part", PartViewModel.self)
            case .gone: registry.add("part2") { GoneElsewhere() }
            case .notDurable: registry.addChild("part", PlainPart.self)
            case .otherState: registry.addChild("part", TextPart.self)
            case .otherArguments: registry.addChild("part", NamedPart.self)
            case .failingResume: registry.addChild("part", FailingPart.self)
            case .otherShared: registry.addChild("part", BagPart.self)
            }
        }
    }

    /// A life in which a part was shown and has counted to 7.
    private static func lives(_ code: Code, _ transition: String) async throws -> Lives {
        let lives = Lives { registry, life in (life == 2 ? code : .same).register(in: &registry) }
        try await lives.begin()
        let client = try await #require(lives.server).connected()
        client.send(Wire.open("1", "host"), Wire.viewEvent("2", 1, #"{"kind":"\#(transition)"}"#))
        while try await !client.next().contains(#""id":2"#) {}
        client.send(Wire.request("3", "session/attach", #"{"key":"life-1-2","client":"me","since":0}"#))
        while try await !client.next().contains(#""id":3"#) {}
        client.send(Wire.viewEvent("4", 2, #"{"kind":"add","value":7}"#, #","number":1"#))
        var answer = ""
        repeat { answer = try await client.next() } while !answer.contains(#""id":4"#)
        #expect(answer == Wire.seq("4", 2))
        await lives.end()
        return lives
    }

    private static func part(in lives: Lives) -> StoredSession? {
        lives.store.scenes.flatMap(\.sessions).first { $0.header.viewModel == "part" }
    }

    private static let lack = "this server has no durable view model"

    @Test(
        arguments: [
            (.gone, lack), (.notDurable, lack), (.otherState, "the saved value of 'count' can't be read"),
            (.otherArguments, "name: missing"), (.failingResume, "no way on"),
            (.otherShared, "the saved value of 'count' can't be read"),
        ] as [(Code, String)], ["push", "present"])
    func `a child that can't go on stays stored, refuses events with the reason, and goes on when it can`(
        _ code: (code: Code, words: String), _ transition: String
    ) async throws {
        let lives = try await Self.lives(code.code, transition)
        let stored = try #require(Self.part(in: lives)?.turn)
        try await lives.begin()
        let client = try await #require(lives.server).connected()
        client.send(Wire.attach("1", "life-1-1", since: 0))
        #expect(try await client.next().contains(#""id":1"#))
        // The host goes on, and has the child on screen as before.
        client.send(Wire.viewEvent("2", 1, #"{"kind":"count"}"#))
        var told: [String] = []
        repeat { told.append(try await client.next()) } while told.last?.contains(#""id":2"#) == false
        #expect(told.contains { $0.contains(#""kind":"counted""#) }, "\(told)")
        #expect(told.contains { $0.contains("navigation/\(transition)") }, "\(told)")
        #expect(told.contains { $0.contains("part failed to start: ") && $0.contains(code.words) }, "\(told)")
        #expect(!told.contains { $0.contains("navigation/pop") || $0.contains("navigation/dismiss") }, "\(told)")
        // Seen as it was, by a client that comes back and by a new one.
        for (id, since) in [("3", Int?.none), ("4", 0)] {
            client.send(Wire.attach(id, "life-1-2", since: since), Wire.request("\"\(id)\"", "ping"))
            var told = ""
            repeat { told += try await client.next() } while !told.hasSuffix(Wire.result("\"\(id)\""))
            // A snapshot comes in a turn of its own.
            while !told.contains(#""id":\#(id),"#) { told += try await client.next() }
            #expect(told.contains(#"{"kind":"sum","value":7}"#), "\(told)")
        }
        client.send(Wire.viewEvent("5", 2, #"{"kind":"add","value":8}"#))
        #expect(try await client.expectError(-32014, id: "5").contains(code.words))
        await lives.end()
        let kept = try #require(Self.part(in: lives)?.turn)
        #expect((kept.saved, kept.savedVersion, kept.entries) == (stored.saved, stored.savedVersion, stored.entries))
        #expect(lives.log.contains { $0.contains("part failed to start: ") && $0.contains(code.words) }, "\(lives.log)")

        try await lives.begin()
        let next = try await #require(lives.server).connected()
        next.send(
            Wire.request("1", "session/attach", #"{"key":"life-1-2","client":"me","since":\#(kept.newest)}"#),
            Wire.viewEvent("2", 1, #"{"kind":"add","value":10}"#, #","number":2"#))
        #expect(try await next.next().contains(#""handled":1"#))
        try await next.expect(Wire.event(1, kept.newest + 1, #"{"kind":"sum","value":17}"#))
        await lives.end()
    }

    // Several times, as it depends on which of the two fails first.
    @Test(arguments: [Code.failingHost, .otherHost], 0..<10)
    func `whoever attaches anew to a screen that can't go on is told why, and not that it has ended`(
        _ code: Code, _ round: Int
    ) async throws {
        let lives = try await Self.lives(code, "push")
        try await lives.begin()
        let client = try await #require(lives.server).connected()
        let other = try await #require(lives.server).connected()
        client.send(Wire.attach("1", round.isMultiple(of: 2) ? "life-1-1" : "life-1-2"))
        other.send(Wire.attach("1", "life-1-2"))
        func expectReason(_ id: String, of client: TestClient) async throws {
            var answer = ""
            repeat { answer = try await client.next() } while answer.contains("window/logMessage")
            #expect(
                answer.contains(#""id":\#(id),"error":{"code":-32014,"#) && answer.contains("no way on"), "\(answer)")
        }
        for client in [client, other] { try await expectReason("1", of: client) }
        // While it may still be there, and after that.
        client.send(Wire.attach("2", "life-1-1"))
        try await expectReason("2", of: client)
        await lives.end()
        #expect(lives.store.scenes.flatMap(\.sessions).map(\.header.viewModel) == ["host", "part"])
    }

    @Test func `a user goes back from a child that can't go on, and with that it goes from the store`() async throws {
        let lives = try await Self.lives(.gone, "push")
        try await lives.begin()
        let client = try await #require(lives.server).connected()
        client.send(Wire.attach("1", "life-1-2"))
        while try await !client.next().contains(#""id":1"#) {}
        client.send(Wire.back("2", 1))
        while try await client.next() != Wire.result("2") {}
        await lives.end()
        #expect(lives.store.scenes.flatMap(\.sessions).map(\.header.viewModel) == ["host"])
    }

    @Test func `a child that never started, and can't be made, starts when it can`() async throws {
        let lives = Lives { registry, life in (life == 2 ? Code.gone : .same).register(in: &registry) }
        try await lives.begin()
        let first = try await #require(lives.server).connected()
        first.send(Wire.open("1", "host"), Wire.viewEvent("2", 1, #"{"kind":"push"}"#))
        while try await !first.next().contains(#""id":2"#) {}
        await lives.end()
        for life in 2...3 {
            try await lives.begin()
            let client = try await #require(lives.server).connected()
            client.send(Wire.attach("1", "life-1-2", since: 0))
            #expect(try await client.next().contains(#""id":1"#))
            client.send(Wire.viewEvent("2", 1, #"{"kind":"add","value":7}"#))
            if life == 2 {
                while try await !client.next().contains(#""id":2,"error":{"code":-32014"#) {}
            } else {
                try await client.expect(Wire.event(1, 1, #"{"kind":"sum","value":0}"#))
            }
            await lives.end()
        }
    }

    @Test func `a child that can't be saved ends this life of its scene, and stays in the store`() async throws {
        let lives = Lives { registry, _ in
            registry.add("host", HostOf<UnsavablePart>.self)
            registry.addChild("part", UnsavablePart.self)
        }
        try await lives.begin()
        let client = try await #require(lives.server).connected()
        client.send(Wire.open("1", "host"), Wire.viewEvent("2", 1, #"{"kind":"push"}"#))
        while try await !client.next().contains(#""id":2"#) {}
        client.send(Wire.attach("3", "life-1-2", since: 0), Wire.viewEvent("4", 2, #"{"kind":"add","value":1}"#))
        while try await !client.next().contains(#""id":4"#) {}
        client.send(Wire.viewEvent("5", 2, #"{"kind":"add","value":2}"#))
        var told: [String] = []
        repeat { told.append(try await client.next()) } while !told.contains { $0.contains(Wire.closed(1, "failed")) }
        #expect(!told.contains { $0.contains("navigation/pop") }, "\(told)")
        client.send(Wire.attach("6", "life-1-2", since: 1))
        while try await !client.next().contains(#""id":6,"result""#) {}
        client.send(Wire.viewEvent("7", 3, #"{"kind":"add","value":3}"#))
        try await client.expect(Wire.event(3, 2, #"{"kind":"sum","value":4}"#))
        await lives.end()
        #expect(Self.part(in: lives) != nil)
    }
}

private enum HostEvent: Codable, Sendable { case push, present, count }
private enum HostTold: Codable, Sendable { case counted }
private enum PartEvent: Codable, Sendable { case add(Int) }
private enum PartTold: Codable, Sendable { case sum(Int) }

private typealias HostViewModel = HostOf<PartViewModel>

private actor HostOf<Part: HostableViewModel & PerRequest>: ViewModel, PerRequest, DurableViewModel
where Part.Arguments == PartArguments {
    let output = Output<HostTold>()
    private let navigation: NavigationService
    private let presenter: PresenterService

    init(container: Container, arguments: Void) throws {
        navigation = try container.resolve()
        presenter = try container.resolve()
    }

    func handle(event: HostEvent) throws {
        switch event {
        case .push: try navigation.push(Part.self, arguments: PartArguments(number: 1))
        case .present: try presenter.present(Part.self, arguments: PartArguments(number: 1))
        case .count: output.send(.counted)
        }
    }
}

private actor FailingHost: ViewModel, PerRequest, DurableViewModel {
    let output = Output<HostTold>()

    init(container: Container, arguments: Void) {}

    func resume() throws { throw FailingPart.NoWayOn() }

    func handle(event: HostEvent) {}
}

/// Its state is of an older version, which it doesn't read.
private actor CountingHost: ViewModel, PerRequest, DurableViewModel {
    static var savedStateVersion: Int { 2 }

    let output = Output<HostTold>()
    @Saved private var count = 0

    init(container: Container, arguments: Void) {}

    static func savedState(from decoder: any Decoder, version: Int) throws -> SavedProperties {
        throw FailingPart.NoWayOn()
    }

    func handle(event: HostEvent) {}
}

private struct PartArguments: Codable, Sendable { var number: Int }
private struct NamedArguments: Codable, Sendable { var name: String }

private final class Bag: DurableSingleton {
    static let savedName = "Bag"

    let count = Saved(0)

    init(container: Container, arguments: Void) {}
}

private final class OtherBag: DurableSingleton {
    static let savedName = "Bag"

    let count = Saved("")

    init(container: Container, arguments: Void) {}
}

private actor PartViewModel: ViewModel, PerRequest, DurableViewModel {
    let output = Output<PartTold>()
    @Saved private var count = 0
    private let bag: Bag

    init(container: Container, arguments: PartArguments) throws { bag = try container.resolve() }

    func start() { output.send(.sum(count)) }

    func handle(event: PartEvent) {
        if case .add(let value) = event { count += value }
        bag.count.wrappedValue = count
        output.send(.sum(count))
    }
}

private actor GoneElsewhere: ViewModel {
    let output = Output<PartTold>()

    func handle(event: PartEvent) {}
}

private actor PlainPart: ViewModel, PerRequest {
    let output = Output<PartTold>()

    init(container: Container, arguments: PartArguments) {}

    func handle(event: PartEvent) {}
}

private actor TextPart: ViewModel, PerRequest, DurableViewModel {
    let output = Output<PartTold>()
    @Saved private var count = ""

    init(container: Container, arguments: PartArguments) {}

    func handle(event: PartEvent) {}
}

private actor NamedPart: ViewModel, PerRequest, DurableViewModel {
    let output = Output<PartTold>()
    @Saved private var count = 0

    init(container: Container, arguments: NamedArguments) {}

    func handle(event: PartEvent) {}
}

private actor FailingPart: ViewModel, PerRequest, DurableViewModel {
    struct NoWayOn: Error, CustomStringConvertible { let description = "no way on" }

    let output = Output<PartTold>()
    @Saved private var count = 0

    init(container: Container, arguments: PartArguments) {}

    func resume() throws {
        count = 100
        throw NoWayOn()
    }

    func handle(event: PartEvent) {}
}

private actor BagPart: ViewModel, PerRequest, DurableViewModel {
    let output = Output<PartTold>()
    @Saved private var count = 0
    private let bag: OtherBag

    init(container: Container, arguments: PartArguments) throws { bag = try container.resolve() }

    func handle(event: PartEvent) {}
}

/// Can't be saved where its count is 3, in its first life.
private actor UnsavablePart: ViewModel, PerRequest, DurableViewModel {
    struct SavedState: Codable { var count: Int }
    struct NoState: Error {}

    let output = Output<PartTold>()
    private var count = 0

    init(container: Container, arguments: PartArguments) {}

    var savedState: SavedState {
        get throws {
            if count == 3 { throw NoState() }
            return SavedState(count: count)
        }
    }

    func restore(_ savedState: SavedState) { count = savedState.count }

    func handle(event: PartEvent) {
        if case .add(let value) = event { count += value }
        output.send(.sum(count))
    }
}
