import Sessions
import TestSupport
import Testing
import ViewModels

/// Events that come right behind the request that makes a view model which can't be made, started, or go on: they are refused.
@Suite(.inTurn, .timeLimit(.minutes(5))) struct FailedOpeningTests {
    enum Failure: String, CaseIterable, Sendable {
        /// Its state can't be read.
        case unreadable
        /// `resume()` throws.
        case resume
        /// `start()` throws, which runs in the first life alone.
        case start
    }

    private static let add = #"{"kind":"add"}"#

    private static func attach(_ id: String) -> String {
        Wire.request(id, "session/attach", #"{"key":"life-1-1","client":"c","since":0}"#)
    }

    private static func event(_ id: String, _ number: Int) -> String {
        Wire.viewEvent(id, 1, add, #","number":\#(number)"#)
    }

    /// Whether the request with this id has a result.
    private static func isAnswered(_ id: String, by client: TestClient) async throws -> Bool {
        while true {
            let message = try await client.next()
            if message.contains(#""id":\#(id),"#) || message.hasSuffix(#""id":\#(id)}"#) {
                return message.contains(#""result""#)
            }
        }
    }

    // Several times, as it depends on what is first.
    @Test(arguments: [Failure.unreadable, .resume], 0..<10)
    func `what comes behind an attach to a session that can't go on is refused, and done when it goes on`(
        _ failure: Failure, _ round: Int
    ) async throws {
        let lives = Lives { registry, life in
            if life != 2 {
                registry.add("own") { Adding() }
            } else if failure == .unreadable {
                registry.add("own") { AddingText() }
            } else {
                registry.add("own") { AddingAfter(.resume) }
            }
        }
        let first = try await lives.connect()
        first.send(
            Wire.request("1", "session/open", #"{"viewModel":"own","client":"c"}"#), Self.event("2", 1))
        #expect(try await Self.isAnswered("2", by: first))
        await lives.end()

        let second = try await lives.connect()
        second.send(Self.attach("1"), Self.event("2", 2), Self.event("3", 3))
        #expect(try await !Self.isAnswered("2", by: second))
        #expect(try await !Self.isAnswered("3", by: second))
        await lives.end()

        let third = try await lives.connect()
        third.send(Self.attach("1"), Self.event("2", 2))
        var told: [String] = []
        while told.last?.contains(#""id":2"#) != true { told.append(try await third.next()) }
        #expect(told.contains { $0.contains(#""handled":1"#) }, "\(told)")
        #expect(told.contains(Wire.event(1, 2, #"{"kind":"sum","value":2}"#)), "\(told)")
        await lives.end()
    }

    @Test(arguments: 0..<10)
    func `what comes behind the open of a view model that fails to start is refused`(_ round: Int) async throws {
        let lives = Lives { registry, _ in registry.add("own") { AddingAfter(.start) } }
        let client = try await lives.connect()
        client.send(
            Wire.request("1", "session/open", #"{"viewModel":"own","client":"c"}"#), Self.event("2", 1),
            Self.event("3", 2))
        #expect(try await !Self.isAnswered("2", by: client))
        #expect(try await !Self.isAnswered("3", by: client))
        await lives.end()
        #expect(lives.store.scenes.isEmpty)
    }
}

private enum AddEvent: Codable, Sendable {
    case add
}

private enum SumEvent: Codable, Sendable {
    case sum(Int)
}

private actor Adding: ViewModel, DurableViewModel {
    let output = Output<SumEvent>()
    @Saved private var sum = 0

    func handle(event: AddEvent) {
        sum += 1
        output.send(.sum(sum))
    }
}

private actor AddingText: ViewModel, DurableViewModel {
    let output = Output<SumEvent>()
    @Saved private var sum = ""

    func handle(event: AddEvent) {
        sum += "1"
    }
}

private actor AddingAfter: ViewModel, DurableViewModel {
    private let failure: FailedOpeningTests.Failure
    let output = Output<SumEvent>()
    @Saved private var sum = 0

    init(_ failure: FailedOpeningTests.Failure) {
        self.failure = failure
    }

    func start() throws {
        if failure == .start { throw Failed() }
    }

    func resume() throws {
        sum += 100
        if failure == .resume { throw Failed() }
    }

    func handle(event: AddEvent) {
        sum += 1
        output.send(.sum(sum))
    }
}

private struct Failed: Error {}
