import Sessions
import TestSupport
import Testing
import ViewModels

/// View events that a client sends early.
@Suite(.inTurn, .timeLimit(.minutes(5))) struct SubmittingEventsTests {
    private static func register(in registry: inout Registry) {
        registry.add("shelf") { try ShelfViewModel(container: $0) }
        registry.addChild("box", BoxViewModel.self)
    }

    @Test func `an event that is sent behind the attachment of a new child, before its answer, is handled`()
        async throws
    {
        try await withServer(register: Self.register) { server in
            let client = try await server.connected()
            client.send(Wire.open("1", "shelf"), Wire.viewEvent("2", 1, #"{"kind":"show"}"#))
            var told: [String] = []
            repeat { told.append(try await client.next()) } while told.last?.contains(#""id":2"#) == false
            let key = try #require(
                told.first { $0.contains("navigation/push") }?.split(separator: #""key":""#)[1].prefix { $0 != "\"" })
            client.send(Wire.attach("3", String(key)), Wire.viewEvent("4", 2, #"{"kind":"put"}"#))
            told = []
            repeat { told.append(try await client.next()) } while told.last != Wire.seq("4", 2)
            #expect(told.joined().contains(#"{"kind":"started"}"#), "\(told)")
            #expect(told.joined().contains(#"{"kind":"put"}"#), "\(told)")
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
