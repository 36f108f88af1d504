import Serving
import Sessions
import TestSupport
import Testing
import ViewModels

/// View models that are told who looks at them.
@Suite(.inTurn, .timeLimit(.minutes(3))) struct ViewersTests {
    private static func open(_ id: String, _ viewModel: String, _ client: String) -> String {
        Wire.request(id, "session/open", #"{"viewModel":"\#(viewModel)","client":"\#(client)"}"#)
    }

    private static func attach(_ id: String, _ key: String, _ client: String) -> String {
        Wire.request(id, "session/attach", #"{"key":"\#(key)","client":"\#(client)"}"#)
    }

    /// The next event of who is here.
    private func here(_ client: TestClient) async throws -> String? {
        while true {
            let message = try await client.next()
            if let names = message.firstMatch(of: /"event":\{"kind":"here","value":"([^"]+)"/) { return "\(names.1)" }
        }
    }

    @Test(arguments: ["crowd", "observed crowd"])
    func `a view model is told of each view that comes or goes, in order`(_ viewModel: String) async throws {
        try await withServer(register: Crowd.register) { server in
            let (ada, bob, nobody) = (
                try await server.connected(), try await server.connected(), try await server.connected()
            )
            ada.send(Self.open("1", viewModel, "ada"))
            try await #expect(here(ada) == "ada")
            bob.send(Self.open("1", viewModel, "bob"))
            try await #expect(here(ada) == "ada bob")
            nobody.send(Wire.open("1", viewModel))
            try await #expect(here(ada) == "ada bob -")
            bob.cut()
            try await #expect(here(ada) == "ada -")
            nobody.send(Wire.request("2", "session/detach", #"{"session":1}"#))
            try await #expect(here(ada) == "ada")
        }
    }

    @Test func `of a screen those count who look at it, as long as they do`() async throws {
        try await withServer(loops: 2, register: Crowd.register) { server in
            let (ada, bob) = (try await server.connected(loop: 0), try await server.connected(loop: 1))
            ada.send(Self.open("1", "screen of crowd", "ada"))
            try await #expect(here(ada) == "ada")
            bob.send(Self.open("1", "screen of crowd", "bob"))
            try await #expect(here(ada) == "ada bob")
            // A second program on the first screen.
            let tablet = try await server.connected()
            tablet.send(Self.attach("1", "key-1", "tablet"))
            try await #expect(here(bob) == "ada bob")
            try await #expect(here(bob) == "ada tablet bob")
            ada.cut()
            try await #expect(here(bob) == "tablet bob")
            tablet.send(Wire.request("2", "session/close", #"{"session":1}"#))
            try await #expect(here(bob) == "bob")
        }
    }

    @Test func `a client can't say that others look`() async throws {
        try await withServer(register: Crowd.register) { server in
            let ada = try await server.connected()
            ada.send(Self.open("1", "crowd", "ada"))
            try await #expect(here(ada) == "ada")
            ada.send(Wire.notification("$/viewers", #"{"session":1,"viewers":[{"name":"eve"}]}"#))
            let bob = try await server.connected()
            bob.send(Self.open("1", "crowd", "bob"))
            try await #expect(here(ada) == "ada bob")
        }
    }

    @Test func `in a later life it begins with nobody, and is told who has come back`() async throws {
        let lives = Lives { registry, _ in Crowd.register(&registry) }
        let ada = try await lives.connect()
        ada.send(Self.open("1", "screen of crowd", "ada"))
        try await #expect(here(ada) == "ada")
        await lives.end()
        let bob = try await lives.connect()
        bob.send(Self.attach("1", "life-1-1", "bob"))
        try await #expect(here(bob) == "bob")
        await lives.end()
    }

    @Test func `people on another server are here, too`() async throws {
        let network = Network(register: Crowd.register)
        let (here, there) = (try network.member("here"), try network.member("there"))
        let (ada, bob) = (try await here.server.connected(), try await there.server.connected())
        ada.send(Self.open("1", "screen of crowd", "ada"))
        try await #expect(self.here(ada) == "ada")
        bob.send(Self.open("1", "screen of crowd", "bob"))
        try await #expect(self.here(ada) == "ada bob")
        bob.send(Wire.request("2", "session/detach", #"{"session":1}"#))
        try await #expect(self.here(ada) == "ada")
        await network.end()
    }
}

/// Tells the names of those who look, "-" for one without.
private actor Crowd: ViewModel, DurableViewModel, PresenceViewModel {
    enum ViewEvent: Codable, Sendable { case nothing }
    enum ViewModelEvent: Codable, Sendable { case here(String) }

    let output = Output<ViewModelEvent>()

    func handle(event: ViewEvent) {}
    func snapshot() -> [ViewModelEvent] { [] }

    func viewersDidChange(_ viewers: [Client]) { output.send(.here(viewers.names)) }
}

private actor ObservedCrowd: ObservableViewModel, PresenceViewModel {
    enum ViewEvent: Codable, Sendable { case nothing }

    @Observed var here = ""

    func handle(event: ViewEvent) {}
    func viewersDidChange(_ viewers: [Client]) { here = viewers.names }
}

private actor CrowdScreen: ViewModel, DurableViewModel {
    typealias ViewEvent = Crowd.ViewEvent
    typealias ViewModelEvent = Crowd.ViewModelEvent

    let output = Output<ViewModelEvent>()
    private let crowd: Shared<Crowd>

    init(container: Container) {
        crowd = container.shared(Crowd.self, "crowd")
        crowd.passOn(to: output)
    }

    func handle(event: ViewEvent) {}
    func snapshot() -> [ViewModelEvent] { [] }
}

extension Crowd {
    static func register(_ registry: inout Registry) {
        registry.add("crowd", scope: .everyone) { Crowd() }
        registry.add("observed crowd", scope: .everyone) { ObservedCrowd() }
        registry.add("screen of crowd") { CrowdScreen(container: $0) }
    }
}

extension [Client] {
    fileprivate var names: String { map { $0.name ?? "-" }.joined(separator: " ") }
}
