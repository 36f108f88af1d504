import Sessions
import Synchronization
import TestSupport
import Testing
import Transport
import ViewModels

/// No view model holds up another, whatever plain Swift it is written in. Each test can only end when that is so.
@Suite(.inTurn) struct HoldingHandlersTests {
    private enum Event: Codable { case holds, searches, gathers, sleeps, answers }

    /// A view model whose handlers go on when the test opens a gate of threads, or when they are cancelled.
    private final class Holder: ViewModel {
        enum ViewModelEvent: Codable { case said(String) }
        typealias ViewEvent = Event

        let output = Output<ViewModelEvent>()
        private let end: Semaphore
        private let wake: Gate

        init(_ end: Semaphore, _ wake: Gate) {
            self.end = end
            self.wake = wake
        }

        func handle(event: Event) async throws {
            switch event {
            case .holds:
                end.wait()
                output.send(.said("held"))
            case .searches: try await Self.search()
            case .gathers:
                await withTaskGroup(of: Void.self) { group in
                    for _ in 0..<3 { group.addTask { while !Task.isCancelled {} } }
                }
                try Task.checkCancellation()
            case .sleeps:
                await wake.wait()
                end.wait()
                output.send(.said("slept, and held"))
            case .answers: output.send(.said("hello"))
            }
        }

        /// Never suspends, and checks for cancellation as it should.
        @concurrent private static func search() async throws {
            while true { try Task.checkCancellation() }
        }
    }

    private let wake = Gate()

    private func withHolders(
        limits: Limits = Limits(), _ body: (TestServer, TestClient, TestClient, Semaphore) async throws -> Void
    ) async throws {
        let (end, wake) = (Semaphore(), wake)
        let server = try TestServer(limits: limits, hasPool: true) { registry in
            registry.add("holder") { Holder(end, wake) }
        }
        let (first, second) = (try await server.connected(), try await server.connected())
        for client in [first, second] {
            client.send(#"{"jsonrpc":"2.0","id":1,"method":"session/open","params":{"viewModel":"holder"}}"#)
            _ = try await client.next()
        }
        do {
            try await body(server, first, second, end)
        } catch {
            end.post()
            await server.stop()
            throw error
        }
        await server.stop()
    }

    private func event(_ kind: String, id: Int) -> String {
        #"{"jsonrpc":"2.0","id":\#(id),"method":"view/event","params":{"session":1,"event":{"kind":"\#(kind)"}}}"#
    }

    private func hello(_ client: TestClient, seq: Int, id: Int) async throws {
        client.send(event("answers", id: id))
        #expect(try await client.next().contains(#""seq":\#(seq),"event":{"kind":"said","value":"hello"}"#))
        #expect(try await client.next() == #"{"jsonrpc":"2.0","id":\#(id),"result":{"seq":\#(seq)}}"#)
    }

    @Test(.timeLimit(.minutes(5)))
    func `a handler that blocks its thread doesn't block the other client of its loop, and is named in the log`()
        async throws
    {
        try await withHolders { server, first, second, end in
            first.send(event("holds", id: 2))
            for number in 1...3 { try await hello(second, seq: number, id: number + 1) }
            // A client that comes now isn't kept waiting.
            _ = try await server.connected()
            #expect(server.metrics.contains("\nview_model_server_held_threads 1\n"))
            #expect(server.health.contains("holder.holds has held a thread for "))
            // It is named while it goes on, since it may never end.
            await until { server.log.elements.contains { $0.contains("holder.holds has held its thread for ") } }
            end.post()
            #expect(try await first.next().contains(#""value":"held""#))
            #expect(try await first.next() == #"{"jsonrpc":"2.0","id":2,"result":{"seq":1}}"#)
            // From now on they begin elsewhere, and everything comes as before.
            first.send(event("holds", id: 3))
            try await hello(second, seq: 4, id: 5)
            end.post()
            _ = try await first.next()
            #expect(try await first.next() == #"{"jsonrpc":"2.0","id":3,"result":{"seq":2}}"#)
        }
    }

    @Test(.timeLimit(.minutes(5)), arguments: ["searches", "gathers"])
    func `work that a handler awaits, and that never suspends, is cancelled by its client`(_ kind: String) async throws
    {
        try await withHolders { _, first, second, _ in
            first.send(event(kind, id: 2))
            try await hello(second, seq: 1, id: 2)
            first.send(#"{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":2}}"#)
            #expect(try await first.next().contains(#""id":2,"error":{"code":-32800"#))
        }
    }

    @Test(.timeLimit(.minutes(5)))
    func `a handler that blocks a thread after a suspension never had the loop's`() async throws {
        // The loop wouldn't go on elsewhere, and the second client would have no answer.
        try await withHolders(limits: Self.neverHeld) { _, first, second, end in
            first.send(event("sleeps", id: 2))
            try await hello(second, seq: 1, id: 2)
            wake.open()
            try await hello(second, seq: 2, id: 3)
            end.post()
            #expect(try await first.next().contains("slept, and held"))
            _ = try await first.next()
        }
    }

    /// A slow machine, or a sanitizer, makes no handler one that holds its loop.
    private static let neverHeld = {
        var limits = Limits()
        limits.handlerTime = .seconds(3_600)
        return limits
    }()

    /// The view model is an actor, whose start is on its own executor and back.
    @Test(.timeLimit(.minutes(5)))
    func `an event behind an open is handled before the shutdown behind it, all in one piece`() async throws {
        for _ in 0..<20 {
            let server = try TestServer(limits: Self.neverHeld, hasPool: true)
            let client = try await server.connected()
            client.send(
                #"{"jsonrpc":"2.0","id":1,"method":"session/open","params":{"viewModel":"counter"}}"#,
                #"{"jsonrpc":"2.0","id":2,"method":"view/event","params":{"session":1,"event":{"kind":"increment","by":1}}}"#,
                #"{"jsonrpc":"2.0","id":3,"method":"shutdown"}"#)
            var answers: [String] = []
            while answers.count < 3 {
                let message = try await client.next()
                if message.contains(#""id":"#) { answers.append(message) }
            }
            #expect(answers[1] == #"{"jsonrpc":"2.0","id":2,"result":{"seq":2}}"#)
            await server.stop()
        }
    }

    @Test func `after a handler that suspended, the next ones are handled before the shutdown behind them again`()
        async throws
    {
        for _ in 0..<20 {
            let server = try TestServer(limits: Self.neverHeld, hasPool: true)
            let client = try await server.connected()
            client.send(
                Wire.open("1", "probe"), Wire.viewEvent("2", 1, #"{"kind":"emitTwice","value":1}"#))
            while try await client.next() != Wire.result("2", #"{"seq":2}"#) {}
            client.send(
                Wire.viewEvent("3", 1, #"{"kind":"emit","count":1}"#),
                Wire.viewEvent("4", 1, #"{"kind":"emit","count":1}"#), Wire.request("5", "shutdown"))
            var answers: [String] = []
            while answers.count < 3 {
                let message = try await client.next()
                if message.contains(#""id":"#) { answers.append(message) }
            }
            #expect(
                answers == [
                    Wire.result("3", #"{"seq":3}"#), Wire.result("4", #"{"seq":4}"#), Wire.result("5", "null"),
                ])
            await server.stop()
        }
    }
}
