import Sessions
import TestSupport
import Testing
import ViewModels

/// A durable view model with a state that forgets to say that it has changed: its Views stay behind, and the log says why.
@Suite(.inTurn, .timeLimit(.minutes(5))) struct SilentStateLogTests {
    @Test func `a saved state that is set without raise is in the log once, and one that is told isn't`() async throws {
        let lives = Lives { registry, _ in
            registry.add("silent") { CountViewModel(raises: false) }
            registry.add("telling") { CountViewModel(raises: true) }
        }
        let client = ReturningClient { try await lives.connect() }
        for name in ["silent", "telling"] {
            try await client.perform(.open(name))
            for _ in 0..<4 { try await client.perform(.send(name, #"{"kind":"add"}"#)) }
        }
        await lives.end()
        let words = lives.log.filter { $0.contains("weren't told") }
        #expect(words.count == 1, "\(lives.log)")
        #expect(words.first?.contains("silent: its state has changed in two handlers") == true)
        #expect(words.first?.hasSuffix("call changed.raise() behind each change") == true)
    }

    @Test func `what is saved and isn't shown needs no raise`() async throws {
        let lives = Lives { registry, _ in registry.add("counting") { CallsViewModel() } }
        let client = ReturningClient { try await lives.connect() }
        try await client.perform(.open("counting"))
        for _ in 0..<4 { try await client.perform(.send("counting", #"{"kind":"add"}"#)) }
        await lives.end()
        #expect(!lives.log.contains { $0.contains("weren't told") }, "\(lives.log)")
    }
}

private enum AddEvent: Codable, Sendable { case add }

private actor CountViewModel: NotifyingViewModel, DurableViewModel {
    nonisolated let changed = Event<Void>()
    @Saved private(set) var state = 0
    private let raises: Bool

    init(raises: Bool) { self.raises = raises }

    func handle(event: AddEvent) {
        state += 1
        if raises { changed.raise() }
    }
}

private actor CallsViewModel: NotifyingViewModel, DurableViewModel {
    nonisolated let changed = Event<Void>()
    @Saved private var calls = 0
    var state: Bool { calls >= 0 }

    func handle(event: AddEvent) { calls += 1 }
}
