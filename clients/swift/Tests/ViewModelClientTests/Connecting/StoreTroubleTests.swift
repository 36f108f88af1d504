import JSON
import Synchronization
import TestSupport
import Testing
import ViewModelClient

/// A server whose store can't be used for a while, as one whose disk is full.
@Suite(.inTurn, .timeLimit(.minutes(2))) struct StoreTroubleTests {
    private static let reason = "the store can't be used: the disk is full"

    /// Refuses view events or leaves them without an answer, until its store works.
    private final class Storing: Sendable {
        let works = Atomic<Bool>(false)
        let refuses: Bool
        private let unanswered = Mutex<[String]>([])

        init(refuses: Bool) { self.refuses = refuses }

        func answers(to line: String) -> [String] {
            if line.contains(#""initialize""#) { return [ScriptedServer.welcome] }
            guard let id = line.firstMatch(of: /"id":([0-9]+)/)?.1 else { return [] }
            let works = works.load(ordering: .relaxed)
            func result(_ text: String) -> String { #"{"jsonrpc":"2.0","id":\#(id),"result":\#(text)}"# }
            if line.contains("session/open") { return [result(#"{"session":1,"key":"key","viewModel":"a"}"#)] }
            if line.contains("view/event") {
                if works { return [result(#"{"seq":3}"#)] }
                guard refuses else {
                    unanswered.withLock { $0.append(result(#"{"seq":3}"#)) }
                    return []
                }
                let error = #"{"code":-32016,"message":"\#(reason)","data":{"retryAfterMs":1000}}"#
                return [#"{"jsonrpc":"2.0","id":\#(id),"error":\#(error)}"#]
            }
            if works {
                return unanswered.withLock { lines in
                    defer { lines = [] }
                    return lines
                } + [result("null")]
            }
            return [result(#"{"storeUnavailable":"\#(reason)"}"#)]
        }
    }

    private func passSecond(_ clock: ManualClock) async {
        await clock.sleepers(1)
        clock.advance(by: .seconds(1))
    }

    @Test(arguments: [true, false])
    func `what waits for the store is said, and done once when it works, on the same connection`(
        _ refuses: Bool
    ) async throws {
        try await withLoop { loop in
            let (server, clock, news) = (Storing(refuses: refuses), ManualClock(), Recorder<ClientNews>())
            let script = ScriptedServer { server.answers(to: $0) }
            var options = ClientOptions()
            (options.clock, options.receive) = (clock, { news.record($0) })
            let client = try await Client.connect(to: script.target, options, on: loop)
            let view = try await client.open("a") { _ in }
            let sent = ["x", "y"].map { kind in
                Task { try await view.send(JSONText("{\"kind\":\"\(kind)\"}")) }
            }
            let trouble = ClientNews.state(.storeUnavailable(reason: Self.reason))
            // What is refused is known at once, and for what isn't answered a ping asks after 5 s.
            if !refuses {
                await until { script.received.elements.count { $0.contains("view/event") } == 2 }
                for _ in 1...5 { await passSecond(clock) }
            }
            await until { news.elements.contains(trouble) }
            server.works.store(true, ordering: .relaxed)
            await until {
                if clock.sleeperCount > 0 { clock.advance(by: .seconds(1)) }
                return news.elements.last == .state(.connected)
            }
            for event in sent { #expect(try await event.value == 3) }
            let states = news.elements.filter { if case .state = $0 { true } else { false } }
            #expect(states == [.state(.connecting), .state(.connected), trouble, .state(.connected)])
            #expect(script.received.elements.count { $0.contains("initialize\"") } == 1)
            let numbers = script.received.elements.compactMap { $0.firstMatch(of: /"number":([0-9]+)/)?.1 }
            #expect(Set(numbers) == ["1", "2"])
            await client.close()
        }
    }

    @Test func `a silent server that answers again may still have no store`() {
        var life = ClientLife(.program(["server"]), backoff: Backoff(), patience: .seconds(30))
        for input in [{ $0.start() }, { $0.didOpen() }, { $0.didInitialize() }]
            as [(inout ClientLife) -> [ClientLife.Action]]
        {
            _ = input(&life)
        }
        let trouble = ClientLife.Action.report(.storeUnavailable(reason: Self.reason))
        #expect(life.didLearn(storeTrouble: Self.reason) == [trouble])
        #expect(life.didLearn(storeTrouble: Self.reason) == [])
        #expect(life.didGrowSilent() == [.report(.silent)])
        // It is said when the server is heard.
        #expect(life.didLearn(storeTrouble: "another reason") == [])
        #expect(life.didLearn(storeTrouble: Self.reason) == [])
        #expect(life.didHear() == [trouble])
        #expect(life.didLearn(storeTrouble: nil) == [.report(.connected)])
    }
}
