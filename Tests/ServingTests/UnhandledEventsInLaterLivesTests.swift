import JSON
import Sessions
import TestSupport
import Testing
import ViewModels

import Serving

/// An event that wasn't handled, and whose answer its client didn't get, is answered so when it is sent again: in each life of its
/// session.
@Suite(.inTurn, .timeLimit(.minutes(5))) struct UnhandledEventsInLaterLivesTests {
    private static let events = [
        #"{"kind":"fail"}"#, #"{"kind":"misread"}"#, #"{"kind":"exceed"}"#, #"{"kind":"unknown"}"#,
        #"{"kind":"count"}"#,
        #"{"kind":"count","by":"x"}"#,
    ]

    @Test func `an event that failed is answered so in the next life, and in the one after it`() async throws {
        let lives = Lives { registry, _ in registry.add("picky") { PickyViewModel(nil) } }
        var client = try await lives.connect()
        client.send(Wire.request("\"open\"", "session/open", #"{"viewModel":"picky","client":"me"}"#))
        _ = try await client.next()
        let answers = try await send(Self.events, to: client)
        let codes = answers.map { answer in answer.firstMatch(of: /"code":(-?\d+)/).map { String($0.1) } ?? "none" }
        #expect(codes == ["-32014", "-32602", "-32015", "-32602", "none", "-32602"])
        for _ in 2...3 {
            await lives.end()
            client = try await lives.connect()
            client.send(Wire.request("\"open\"", "session/attach", #"{"key":"life-1-1","since":0,"client":"me"}"#))
            #expect(try await client.next().contains(#""handled":6"#))
            #expect(try await send(Self.events, to: client) == answers)
        }
        let stored = lives.store.scenes.flatMap(\.sessions).flatMap { $0.turn.notes?.unhandled ?? [] }
        #expect(stored.map(\.number) == [1, 2, 3, 4, 6])
        await lives.end()
    }

    @Test func `events that were cancelled, as they ran and as they waited, are so in the next life`() async throws {
        let begun = Gate()
        let lives = Lives { registry, _ in registry.add("picky") { PickyViewModel(begun) } }
        var client = try await lives.connect()
        let events = [#"{"kind":"wait"}"#, #"{"kind":"count"}"#]
        client.send(Wire.request("\"open\"", "session/open", #"{"viewModel":"picky","client":"me"}"#))
        _ = try await client.next()
        for (index, event) in events.enumerated() {
            client.send(Wire.viewEvent("\(index + 1)", 1, event, #","number":\#(index + 1)"#))
        }
        await begun.wait()
        for id in [2, 1] { client.send(Wire.notification("$/cancelRequest", #"{"id":\#(id)}"#)) }
        var answers: [String] = []
        while answers.count < 2 { answers += [try await client.next()].filter { $0.contains(#""id""#) } }
        #expect(answers.allSatisfy { $0.contains("-32800") }, "\(answers)")
        await lives.end()
        client = try await lives.connect()
        client.send(Wire.request("\"open\"", "session/attach", #"{"key":"life-1-1","since":0,"client":"me"}"#))
        _ = try await client.next()
        #expect(try await send(events, to: client) == answers.sorted())
        await lives.end()
    }

    @Test func `a client whose name was forgotten and that counts from 1 again isn't told of the events of before`()
        async throws
    {
        var limits = Limits()
        limits.clients = 1
        let lives = Lives(limits: limits) { registry, _ in registry.add("picky") { PickyViewModel(nil) } }
        let client = try await lives.connect()
        client.send(Wire.open("\"open\"", "picky"))
        _ = try await client.next()
        for (name, event) in [("a", "fail"), ("b", "fail"), ("a", "count")] {
            let named = try await #require(lives.server).connected()
            named.send(Wire.request("\"attach\"", "session/attach", #"{"key":"life-1-1","client":"\#(name)"}"#))
            _ = try await named.next()
            let event = #"{"kind":"\#(event)"}"#
            let answer = try await send([event], to: named)
            #expect(try await send([event], to: named) == answer)
            #expect(answer[0].contains("result") == event.contains("count"))
            named.send(Wire.request("\"detach\"", "session/detach", #"{"session":1}"#))
            while try await !named.next().contains(#""id":"detach""#) {}
        }
        await lives.end()
    }

    /// Sends them under the numbers 1, 2, …, and returns their answers in that order.
    private func send(_ events: [String], to client: TestClient) async throws -> [String] {
        var answers: [String] = []
        for (index, event) in events.enumerated() {
            client.send(Wire.viewEvent("\(index + 1)", 1, event, #","number":\#(index + 1)"#))
            var answer = ""
            while !answer.contains(#""id":\#(index + 1)"#) { answer = try await client.next() }
            answers.append(answer)
        }
        return answers
    }
}

private actor PickyViewModel: ViewModel, DurableViewModel {
    enum ViewEvent: Codable, Sendable {
        case fail, misread, exceed, wait
        case count(by: Int?)
    }

    enum ViewModelEvent: Codable, Sendable {
        case count(Int)
    }

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    @Saved private var count = 0
    let output = Output<ViewModelEvent>()
    private let begun: Gate?

    init(_ begun: Gate?) {
        self.begun = begun
    }

    func handle(event: ViewEvent) async throws {
        switch event {
        case .fail: throw Failure(description: "nothing of that name: \"ä\"")
        case .misread: throw JSONCodingError(path: "/rows/3", reason: "is no date")
        case .exceed: throw SessionError.limitExceeded(limit: "things", message: "3 things are there; remove one")
        case .wait:
            begun?.open()
            let (never, continuation) = AsyncStream<Void>.makeStream()
            for await _ in never {}
            continuation.finish()
            try Task.checkCancellation()
        case .count(let by):
            count += by ?? 1
            output.send(.count(count))
        }
    }
}
