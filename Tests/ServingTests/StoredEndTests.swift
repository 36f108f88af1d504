import Sessions
import Stores
import TestSupport
import Testing
import ViewModels

import Serving

/// The end of a durable session is told when it is stored: a later life of the server never has a session of which anybody
/// was told that it is gone.
@Suite(.inTurn, .timeLimit(.minutes(5))) struct StoredEndTests {
    /// A way in which a session goes from the screen and from the store.
    enum Way: CaseIterable {
        case close, closeChild, back

        var request: String {
            switch self {
            case .close: Wire.request("9", "session/close", #"{"session":1}"#)
            case .closeChild: Wire.request("9", "session/close", #"{"session":2}"#)
            case .back: Wire.request("9", "navigation/back", #"{"session":2}"#)
            }
        }

        /// The view models that are stored after it.
        var left: [String] { self == .close ? [] : ["orders"] }
    }

    private static let all = ["orders", "orderDetails"]

    /// The details of an order are shown to two clients.
    private struct Screen {
        let lives = Lives()
        let client: TestClient
        let other: TestClient

        init() async throws {
            client = try await lives.beginWithDetails()
            other = try await #require(lives.server).connected()
            for number in 1...2 {
                other.send(Wire.attach("\(number)", "life-1-\(number)"))
                _ = try await other.next()
            }
            _ = try await told(to: other)
            _ = try await told(to: client)
        }

        var stored: [String] { lives.store.scenes.flatMap(\.sessions).map(\.header.viewModel) }

        /// Everything that was sent to a client by now, also where its connection is closed then.
        func told(to client: TestClient) async throws -> [String] {
            var told: [String] = []
            client.send(Wire.request("\"told\"", "ping"))
            do {
                while true {
                    let message = try await client.next()
                    if message.contains(#""id":"told""#) { return told }
                    told.append(message)
                }
            } catch is TestClient.Ended {
                return told
            }
        }

        /// Until the journal has done what it was asked for.
        func settle() async {
            guard let journal = lives.journal else { return }
            await withCheckedContinuation { done in journal.load(.opening(once: "")) { _ in done.resume() } }
        }
    }

    @Test(arguments: Way.allCases, [MemoryStore.Fault.endsBefore, .endsAfter])
    func `a server that ends where a session is removed, before or after it, has told nobody`(
        _ way: Way, _ fault: MemoryStore.Fault
    ) async throws {
        let screen = try await Screen()
        let (client, other, lives) = (screen.client, screen.other, screen.lives)
        lives.store.fail(at: 1, fault)
        client.send(way.request)
        await until { lives.journal?.failure != nil }
        await screen.settle()
        let told = try await screen.told(to: client) + screen.told(to: other)
        #expect(told.isEmpty)
        #expect(screen.stored == (fault == .endsBefore ? Self.all : way.left))
        await lives.end()
        lives.store.mend()
        // The next life, in which the session is there or isn't, as it is stored.
        try await lives.begin()
        let late = try await #require(lives.server).connected()
        late.send(Wire.attach("1", "life-1-2"))
        let isThere = try await late.next().contains(#""result""#)
        #expect(isThere == (fault == .endsBefore))
        await lives.end()
    }

    @Test(arguments: Way.allCases) func `nobody is told of an end that isn't stored`(_ way: Way) async throws {
        let screen = try await Screen()
        let (client, other, lives) = (screen.client, screen.other, screen.lives)
        lives.store.fail(at: 1, .isAway)
        client.send(way.request)
        await until { lives.journal?.failure != nil }
        var told = try await screen.told(to: client) + screen.told(to: other)
        #expect(told.isEmpty)
        // Neither is an event of the session, nor another request to end it.
        other.send(
            Wire.viewEvent("3", 2, #"{"kind":"saveNote"}"#),
            Wire.request("4", "navigation/back", #"{"session":2}"#),
            Wire.request("5", "session/close", #"{"session":2}"#))
        for id in ["3", "4", "5"] { try await other.expectError(-32016, id: id) }
        #expect(screen.stored == Self.all)
        lives.store.mend()
        while try await client.next() != Wire.result("9") {}
        #expect(screen.stored == way.left)
        told = try await screen.told(to: other)
        switch way {
        case .close: #expect(Set(told) == [Wire.closed(1, "closed"), Wire.closed(2, "closed")])
        case .closeChild: #expect(told.count == 2 && told.contains(Wire.closed(2, "closed")), "\(told)")
        case .back: #expect(told.count == 2 && told.contains(Wire.closed(2, "popped")), "\(told)")
        }
        await lives.end()
    }

    @Test(arguments: Way.allCases)
    func `while the store is away no session is closed, and it goes on with the store`(_ way: Way) async throws {
        let screen = try await Screen()
        let (client, other, lives) = (screen.client, screen.other, screen.lives)
        lives.store.fail(at: 1, .isAway)
        client.send(Wire.viewEvent("8", 1, #"{"kind":"selectOrder","index":0}"#))
        await until { lives.journal?.failure != nil }
        client.send(way.request)
        let refused = try await client.expectError(-32016, id: "9")
        #expect(refused.contains(#""data":{"retryAfterMs":1000}"#))
        #expect(try await screen.told(to: other).isEmpty)
        lives.store.mend()
        while try await !client.next().contains(#""id":8"#) {}
        #expect(screen.stored == Self.all + ["orderDetails"])
        client.send(way.request)
        while try await client.next() != Wire.result("9") {}
        #expect(screen.stored == way.left)
        await lives.end()
    }

    @Test func `an event that waits in a session is answered when the end of that is stored`() async throws {
        let (begun, gate) = (Gate(), Gate())
        let lives = Lives { registry, _ in registry.add("gated") { GatedViewModel(begun, gate) } }
        try await lives.begin()
        let server = try #require(lives.server)
        let (client, other) = (try await server.connected(), try await server.connected())
        client.send(Wire.open("1", "gated"))
        try await client.expect(Wire.opened("1", 1, "life-1-1", "gated"))
        other.send(
            Wire.attach("1", "life-1-1"), Wire.viewEvent("2", 1, #"{"kind":"wait"}"#),
            Wire.viewEvent("3", 1, #"{"kind":"wait"}"#))
        _ = try await other.next()
        await begun.wait()
        lives.store.fail(at: 1, .isAway)
        client.send(Wire.request("2", "session/close", #"{"session":1}"#))
        await until { lives.journal?.failure != nil }
        other.send(Wire.request("4", "ping"))
        try await other.expect(Wire.storeTrouble("4", lives.journal?.failure?.reason))
        lives.store.mend()
        try await client.expect(Wire.result("2"))
        let told = [try await other.next(), try await other.next(), try await other.next()]
        #expect(told.count { $0.contains("-32012") } == 2)
        #expect(told.contains(Wire.closed(1, "closed")))
        gate.open()
        await lives.end()
    }
}

/// Handles its events when a gate is open.
private actor GatedViewModel: ViewModel, DurableViewModel {
    enum ViewEvent: Codable { case wait }
    enum ViewModelEvent: Codable { case done }

    let output = Output<ViewModelEvent>()
    private let begun: Gate
    private let gate: Gate

    init(_ begun: Gate, _ gate: Gate) {
        self.begun = begun
        self.gate = gate
    }

    func handle(event: ViewEvent) async {
        begun.open()
        await gate.wait()
    }
}
