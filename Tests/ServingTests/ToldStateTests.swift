import Sessions
import TestSupport
import Testing
import ViewModels

import Serving

/// A snapshot says what the view model has now, which may be in no turn yet. Nothing is told that isn't stored.
@Suite(.inTurn, .timeLimit(.minutes(5))) struct ToldStateTests {
    private static let attach = Wire.request("1", "session/attach", #"{"key":"life-1-1"}"#)

    private func opened(_ lives: Lives) async throws -> TestClient {
        let client = try await lives.connect()
        client.send(Wire.open("1", "own"), Wire.viewEvent("2", 1, #"{"kind":"tell"}"#))
        while try await !client.next().contains(#""id":2"#) {}
        return client
    }

    @Test func `what a handler has changed is told when its turn is stored`() async throws {
        let (isChanged, mayEnd) = (Gate(), Gate())
        let lives = Lives { registry, _ in registry.add("own") { Silent(isChanged, mayEnd) } }
        let first = try await opened(lives)
        first.send(Wire.viewEvent("3", 1, #"{"kind":"setAndWait","value":7}"#))
        let second = try await lives.connect()
        await isChanged.wait()
        second.send(Self.attach)
        try await second.expectNothing()
        let turns = lives.store.scenes.first?.sessions.first?.turn
        #expect(turns?.saved.contains { String(decoding: $0.text, as: UTF8.self) == "7" } == false)
        mayEnd.open()
        #expect(try await second.next().contains(#""value":7"#))
        #expect(try await lives.snapshotsAfterKill().contains(#""value":7"#))
    }

    @Test func `who waits for a turn that can't be stored gets what is stored, from the next life of the session`()
        async throws
    {
        let (isChanged, mayEnd) = (Gate(), Gate())
        let lives = Lives { registry, _ in registry.add("own") { Silent(isChanged, mayEnd) } }
        let first = try await opened(lives)
        first.send(Wire.viewEvent("3", 1, #"{"kind":"breakAndWait"}"#))
        let second = try await lives.connect()
        await isChanged.wait()
        second.send(Self.attach)
        try await second.expectNothing()
        mayEnd.open()
        let answer = try await second.next()
        #expect(answer.contains(#""seq":1"#) && answer.contains(#""value":0"#), "\(answer)")
        await lives.end()
    }

    @Test func `what nobody was told of is stored before it is told`() async throws {
        let (isChanged, mayChange) = (Gate(), Gate())
        let lives = Lives { registry, _ in registry.add("own") { Silent(isChanged, mayChange) } }
        let first = try await opened(lives)
        first.send(Wire.viewEvent("3", 1, #"{"kind":"setLater","value":9}"#))
        // Behind its turn, which would store the change.
        while try await !first.next().contains(#""id":3"#) {}
        mayChange.open()
        await isChanged.wait()
        let second = try await lives.connect()
        second.send(Self.attach)
        #expect(try await second.next().contains(#""value":9"#))
        #expect(try await lives.snapshotsAfterKill().contains(#""value":9"#))
    }
}

extension Lives {
    /// The snapshot of the first session in the next life.
    fileprivate func snapshotsAfterKill() async throws -> String {
        await end()
        let client = try await connect()
        client.send(Wire.request("1", "session/attach", #"{"key":"life-1-1"}"#))
        let snapshot = try await client.next()
        await end()
        return snapshot
    }
}

private enum SilentEvent: Codable, Sendable {
    case tell
    case setAndWait(Int)
    /// To what can't be stored.
    case breakAndWait
    /// Behind the answer, by a task that sends nothing.
    case setLater(Int)
}

private enum ToldEvent: Codable, Sendable {
    case value(Int)
}

private actor Silent: ViewModel, DurableViewModel {
    private let isChanged: Gate
    private let mayGoOn: Gate
    let output = Output<ToldEvent>()
    @Saved private var value = 0
    @Saved private var ratio = 0.0

    init(_ isChanged: Gate, _ mayGoOn: Gate) {
        (self.isChanged, self.mayGoOn) = (isChanged, mayGoOn)
    }

    func handle(event: SilentEvent) async {
        switch event {
        case .tell: output.send(.value(value))
        case .setAndWait(let new):
            value = new
            isChanged.open()
            await mayGoOn.wait()
        case .breakAndWait:
            ratio = .nan
            isChanged.open()
            await mayGoOn.wait()
        case .setLater(let new):
            Task {
                await mayGoOn.wait()
                value = new
                isChanged.open()
            }
        }
    }

    func snapshot() -> [ToldEvent] { [.value(value)] }
}
