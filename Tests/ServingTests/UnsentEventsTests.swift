import Sessions
import TestSupport
import Testing
import ViewModels

import Serving

/// An event that can't be sent has no number, so who wasn't there can't see by its number that something is missing.
@Suite(.inTurn, .timeLimit(.minutes(5))) struct UnsentEventsTests {
    private enum Cause: String, CaseIterable { case long, notANumber }

    @Test(arguments: [false, true], Cause.allCases)
    private func
        `who was away then gets a snapshot, in this life and the next one, until a newer event makes up for it`(
            _ inLaterLife: Bool, _ cause: Cause
        ) async throws
    {
        let lives = try await lives()
        let client = try await opened(lives)
        try await send(cause == .long ? #"{"kind":"fill"}"# : #"{"kind":"divide"}"#, to: client)
        try await send(#"{"kind":"reset"}"#, to: client)
        if inLaterLife { await lives.end() }
        let back = try await lives.connect()
        // Of the newest number then: what came behind it is no change for whoever has seen that.
        for since in [0, 1] {
            back.send(Wire.attach("\"\(since)\"", "life-1-1", since: since))
            let answer = try await attachment(back)
            #expect(answer.contains(#""snapshot":[{"kind":"said","value":""}]"#), "\(since): \(answer)")
        }
        try await send(#"{"kind":"say","value":"b"}"#, to: back)
        if inLaterLife { await lives.end() }
        let last = try await lives.connect()
        last.send(Wire.attach("\"x\"", "life-1-1", since: 1))
        #expect(try await !attachment(last).contains("snapshot"), "a newer state has made up for it")
        await lives.end()
    }

    @Test func `a session whose snapshot is too long as well says so to who was away`() async throws {
        let lives = try await lives()
        let client = try await opened(lives)
        try await send(#"{"kind":"fill"}"#, to: client)
        let back = try await lives.connect()
        back.send(Wire.attach("\"x\"", "life-1-1", since: 1))
        #expect(try await back.next().contains("text made a snapshot of 20028 bytes"))
        #expect(try await attachment(back).contains(#""snapshot":[{"kind":"said","value":"a"}]"#))
        await lives.end()
    }

    private func lives() async throws -> Lives {
        var limits = Limits()
        limits.messageBytes = 16 << 10
        let lives = Lives(limits: limits) { registry, _ in registry.add("text") { TextViewModel() } }
        try await lives.begin()
        return lives
    }

    /// A client that has seen number 1.
    private func opened(_ lives: Lives) async throws -> TestClient {
        let client = try await lives.connect()
        client.send(Wire.open("\"open\"", "text"))
        while try await !client.next().contains(#""seq":1"#) {}
        return client
    }

    private func send(_ event: String, to client: TestClient) async throws {
        client.send(Wire.viewEvent("\"event\"", 1, event))
        while try await !client.next().contains(#""id":"event""#) {}
    }

    private func attachment(_ client: TestClient) async throws -> String {
        while true {
            let message = try await client.next()
            if message.contains(#""id":"#) { return message }
        }
    }
}

private actor TextViewModel: ViewModel, DurableViewModel {
    enum ViewEvent: Codable, Sendable {
        case say(String)
        /// With more than a message has.
        case fill
        case divide
        /// Says nothing.
        case reset
    }

    enum ViewModelEvent: Codable, Sendable, ReplaceableEvent {
        case said(String)
        case ratio(Double)

        var coalescingKey: String? { "text" }
    }

    @Saved private var text = "a"
    let output = Output<ViewModelEvent>()

    func start() { output.send(.said(text)) }

    func handle(event: ViewEvent) {
        switch event {
        case .say(let text): say(text)
        case .fill: say(String(repeating: "x", count: 20_000))
        case .divide: output.send(.ratio(.nan))
        case .reset: text = ""
        }
    }

    private func say(_ text: String) {
        self.text = text
        output.send(.said(text))
    }

    func snapshot() -> [ViewModelEvent] { [.said(text)] }
}
