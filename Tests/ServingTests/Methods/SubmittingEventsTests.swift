import Sessions
import TestSupport
import Testing
import ViewModels

/// View events that a client sends early.
@Suite(.inTurn, .timeLimit(.minutes(5))) struct SubmittingEventsTests {
    private static func register(in registry: inout Registry) {
        LedgerViewModel.register(in: &registry)
        registry.add("shelf") { try ShelfViewModel(container: $0) }
        registry.addChild("box", BoxViewModel.self)
    }

    @Test func `an event for a new child whose attachment still waits is handled behind the child's start`()
        async throws
    {
        var limits = Limits()
        limits.snapshots = 1
        try await withServer(limits: limits, register: Self.register) { server in
            let client = try await server.connected()
            client.send(Wire.open("1", "ledger", #"{"snapshot":"early event"}"#))
            try await client.expect(Wire.opened("1", 1, "key-1", "ledger"))
            client.send(Wire.open("2", "shelf"), Wire.viewEvent("3", 2, #"{"kind":"show"}"#))
            var told: [String] = []
            repeat { told.append(try await client.next()) } while told.last?.contains(#""id":3,"#) == false
            let key = try #require(
                told.first { $0.contains("navigation/push") }?.split(separator: #""key":""#)[1].prefix { $0 != "\"" })
            // The first one takes the only place for snapshots.
            client.send(Wire.request("4", "session/attach", #"{"key":"key-1"}"#), Wire.attach("5", String(key)))
            client.send(Wire.viewEvent("6", 4, #"{"kind":"put"}"#), Wire.request("7", "ping"))
            try await client.expect(Wire.result("7"))
            Hold.named("early event").gate.open()
            told = []
            repeat { told.append(try await client.next()) } while told.last?.contains(#""id":6,"#) == false
            #expect(told.last == Wire.seq("6", 2) && told.joined().contains(#"{"kind":"put"}"#), "\(told)")
        }
    }
}

private actor ShelfViewModel: ViewModel {
    enum ViewEvent: Codable { case show }
    enum ViewModelEvent: Codable { case shown }

    let output = Output<ViewModelEvent>()
    private let navigation: NavigationService

    init(container: Container) throws { navigation = try container.resolve() }

    func handle(event: ViewEvent) throws { try navigation.push(BoxViewModel.self) }
}

private actor BoxViewModel: ViewModel, PerRequest {
    enum ViewEvent: Codable { case put }
    enum ViewModelEvent: Codable { case started, put }

    let output = Output<ViewModelEvent>()

    init(container: Container, arguments: Void) {}

    func start() { output.send(.started) }
    func handle(event: ViewEvent) { output.send(.put) }
}
