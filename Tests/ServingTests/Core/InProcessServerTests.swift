import Examples
import FoundationEssentials
import Sessions
import TestSupport
import Testing
import Transcripts

import Serving
import ViewModels

@Suite(.inTurn) struct InProcessServerTests {
    private static let initialize = """
        {"from":"client","message":{"jsonrpc":"2.0","id":0,"method":"initialize"}}
        {"from":"server","message":{"jsonrpc":"2.0","id":0,"result":{"$match":"object"}}}
        """

    /// Replays lines after an `initialize` to a server with the examples.
    private func replay(
        _ lines: String, to change: (inout InProcessServer) -> Void = { _ in },
        _ options: TranscriptRunner.Options = .init(side: .client)
    ) async throws -> TranscriptOutcome {
        let path = "/tmp/transcript-\(UUID().uuidString).jsonl"
        try "{\"transcript\":1}\n\(lines)\n".write(toFile: path, atomically: false, encoding: .utf8)
        defer { try? FileManager.default.removeItem(atPath: path) }
        var server = InProcessServer(name: "test", version: "1.2.3") { registry in
            registry.container.register((any OrdersProvider).self) { try SampleOrdersProvider(clock: $0.resolve()) }
            registry.add("orders") { container in
                try OrdersViewModel(container: container, arguments: .init(count: 1, delay: 3_600))
            }
            registry.add("counter") { CounterViewModel(arguments: $0) }
        }
        change(&server)
        return await server.replay(path, options)
    }

    private func expectPass(
        _ outcome: TranscriptOutcome, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        guard case .passed = outcome else {
            Issue.record("\(outcome.report(of: "test", width: 120))", sourceLocation: sourceLocation)
            return
        }
    }

    @Test func `keys are numbered, whatever the transcript calls them`() async throws {
        let outcome = try await replay(
            """
            \(Self.initialize)
            {"from":"client","message":{"jsonrpc":"2.0","id":1,"method":"session/open","params":{"viewModel":"counter"}}}
            {"from":"server","message":{"jsonrpc":"2.0","id":1,"result":{"session":1,"key":"a","viewModel":"counter"}}}
            {"from":"server","message":{"jsonrpc":"2.0","method":"viewModel/event","params":{"session":1,"seq":1,"event":{"kind":"count","value":0}}}}
            {"from":"client","message":{"jsonrpc":"2.0","id":2,"method":"session/attach","params":{"key":"key-1"}}}
            {"from":"server","message":{"jsonrpc":"2.0","id":2,"result":{"session":2,"viewModel":"counter","seq":1,"epoch":"1","snapshot":[{"kind":"count","value":0}]}}}
            """)
        expectPass(outcome)
    }

    @Test func `the time that a view model waits for passes as the transcript says`() async throws {
        let outcome = try await replay(
            """
            \(Self.initialize)
            {"from":"client","at":100,"message":{"jsonrpc":"2.0","id":1,"method":"session/open","params":{"viewModel":"orders"}}}
            {"from":"server","at":100,"message":{"jsonrpc":"2.0","id":1,"result":{"session":1,"key":"a","viewModel":"orders"}}}
            {"from":"client","at":100,"message":{"jsonrpc":"2.0","id":2,"method":"view/event","params":{"session":1,"event":{"kind":"loadOrders"}}}}
            {"from":"server","at":100,"message":{"jsonrpc":"2.0","method":"viewModel/event","params":{"session":1,"seq":1,"event":{"kind":"loading","value":true}}}}
            {"from":"server","at":3600100,"message":{"jsonrpc":"2.0","method":"viewModel/event","params":{"session":1,"seq":2,"event":{"kind":"orders","count":1},"more":true}}}
            {"from":"server","at":3600100,"message":{"jsonrpc":"2.0","method":"viewModel/event","params":{"session":1,"seq":3,"event":{"kind":"loading","value":false}}}}
            {"from":"server","at":3600100,"message":{"jsonrpc":"2.0","id":2,"result":{"seq":3}}}
            """)
        expectPass(outcome)
    }

    @Test(arguments: [(180_000, true), (179_999, false)])
    func `a session that nobody holds is gone after the resume window, and not before`(_ at: Int, _ isGone: Bool)
        async throws
    {
        let answer =
            isGone
            ? #""error":{"code":-32012,"message":{"$match":"string"}}"#
            : #""result":{"session":1,"viewModel":"counter","seq":1,"epoch":"1"}"#
        let outcome = try await replay(
            """
            \(Self.initialize)
            {"from":"client","message":{"jsonrpc":"2.0","id":1,"method":"session/open","params":{"viewModel":"counter"}}}
            {"from":"server","message":{"jsonrpc":"2.0","id":1,"result":{"session":1,"key":"a","viewModel":"counter"}}}
            {"from":"server","message":{"jsonrpc":"2.0","method":"viewModel/event","params":{"session":1,"seq":1,"event":{"kind":"count","value":0}}}}
            {"from":"client","end":true}
            {"from":"client","connection":2,"at":\(at),"message":{"jsonrpc":"2.0","id":0,"method":"initialize"}}
            {"from":"server","connection":2,"at":\(at),"message":{"jsonrpc":"2.0","id":0,"result":{"$match":"object"}}}
            {"from":"client","connection":2,"at":\(at),"message":{"jsonrpc":"2.0","id":1,"method":"session/attach","params":{"key":"a","since":1}}}
            {"from":"server","connection":2,"at":\(at),"message":{"jsonrpc":"2.0","id":1,\(answer)}}
            """)
        expectPass(outcome)
    }

    @Test func `a handler that is left waiting is cancelled at the end, without a wait`() async throws {
        let outcome = try await replay(
            """
            \(Self.initialize)
            {"from":"client","message":{"jsonrpc":"2.0","id":1,"method":"session/open","params":{"viewModel":"orders"}}}
            {"from":"server","message":{"jsonrpc":"2.0","id":1,"result":{"session":1,"key":"a","viewModel":"orders"}}}
            {"from":"client","message":{"jsonrpc":"2.0","id":2,"method":"view/event","params":{"session":1,"event":{"kind":"loadOrders"}}}}
            {"from":"server","message":{"jsonrpc":"2.0","method":"viewModel/event","params":{"session":1,"seq":1,"event":{"kind":"loading","value":true}}}}
            {"from":"client","end":true}
            {"from":"server","at":5000,"message":{"jsonrpc":"2.0","id":2,"error":{"code":-32800,"message":{"$match":"string"}}}}
            {"from":"server","at":5000,"end":true}
            """)
        expectPass(outcome)
    }

    @Test func `a token that was taken out is the server's`() async throws {
        let lines = """
            {"from":"client","message":{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"token":"[redacted]"}}}
            {"from":"server","message":{"jsonrpc":"2.0","id":0,"result":{"$match":"object"}}}
            """
        expectPass(try await replay(lines, to: { $0.tokens = Token("secret").map { Tokens($0) } }))
    }

    @Test func `paced, time isn't the transcript's`() async throws {
        let clock = ManualClock.passing()
        var options = TranscriptRunner.Options(side: .client)
        (options.player.isPaced, options.clock) = (true, clock)
        let ping = """
            {"from":"client","at":60000,"message":{"jsonrpc":"2.0","id":1,"method":"ping"}}
            {"from":"server","at":60000,"message":{"jsonrpc":"2.0","id":1,"result":null}}
            """
        expectPass(try await replay("\(Self.initialize)\n\(ping)", to: { _ in }, options))
        #expect(clock.now.offset >= .seconds(60))
    }

    /// A view model that takes an hour moves the lines that follow to where they pass.
    @Test func `an updated transcript replays, with the times that things really take`() async throws {
        var options = TranscriptRunner.Options(side: .client)
        options.player.isUpdating = true
        let outcome = try await replay(
            """
            \(Self.initialize)
            {"from":"client","at":100,"message":{"jsonrpc":"2.0","id":1,"method":"session/open","params":{"viewModel":"orders"}}}
            {"from":"client","at":100,"message":{"jsonrpc":"2.0","id":2,"method":"view/event","params":{"session":1,"event":{"kind":"loadOrders"}}}}
            {"from":"server","at":100,"message":{"jsonrpc":"2.0","id":2,"result":{"seq":2}}}
            {"from":"client","at":200,"message":{"jsonrpc":"2.0","id":3,"method":"ping"}}
            """, to: { _ in }, options)
        guard case .passed(_, let entries) = outcome else {
            Issue.record("\(outcome.report(of: "test", width: 120))")
            return
        }
        #expect(entries.map(\.at) == [0, 0, 100, 100, 100, 100, 3_600_100, 3_600_100, 3_600_100, 200, 3_600_100])
        let lines = entries.map { String(decoding: TranscriptEncoder.encode($0), as: UTF8.self) }.joined()
        expectPass(try await replay(lines))
    }
}
