import FoundationEssentials
import Glibc
import JSON
import Sessions
import TestSupport
import Testing
import ViewModelClient

@Suite(.inTurn, .timeLimit(.minutes(2))) struct ReconnectTests {
    /// Comes back at once.
    private func eager(_ news: Recorder<ClientNews> = Recorder()) -> ClientOptions {
        var options = ClientOptions()
        options.backoff = Backoff(first: .zero, longest: .zero)
        options.receive = { news.record($0) }
        return options
    }

    @Test(arguments: Seeds(named: "CUT_SEEDS", usual: 4).range)
    func `connections that break anywhere, again and again, lose nothing and repeat nothing`(seed: Int) async throws {
        try await withMemoryServer { server in
            let generator = BudgetGenerator(seed: seed, longest: 5_000)
            server.cutAfter { generator.budget() }
            let (news, seen) = (Recorder<ClientNews>(), Recorder<ViewNews>())
            let last = 320
            let client = try await connect(server, eager(news))
            let view = try await client.open("counter") { seen.record($0) }
            // By another number each, so that their order shows.
            let (answers, sent) = (Recorder<Bool>(), Locked(0))
            @Sendable func sendNext() {
                sent.with { number in
                    guard number < last else { return }
                    number += 1
                    view.send(JSONText(#"{"kind":"increment","by":\#(number)}"#)) { result in
                        answers.record((try? result.get()) != nil)
                        // Not on the client's loop, where it would come before those that other threads have sent.
                        Task { sendNext() }
                    }
                }
            }
            // As many on their way as a connection takes before it is cut, mostly.
            for _ in 1...8 { sendNext() }
            #expect(await answers.elements(count: last).allSatisfy(\.self))
            let expected = (0...last).map { number in
                ViewNews.event(
                    JSONText(#"{"kind":"count","value":\#(number * (number + 1) / 2)}"#), seq: number + 1)
            }
            #expect(seen.elements == expected)
            let cuts = news.elements.count { if case .state(.waiting) = $0 { true } else { false } }
            #expect(cuts > 10, "\(cuts) cuts")
            server.cutAfter(nil)
            await client.close()
        }
    }

    /// The first connection may break too.
    private func connect(_ server: MemoryServer, _ options: ClientOptions) async throws -> Client {
        while true {
            do {
                return try await Client.connect(to: server.target, options, on: server.loop)
            } catch RemoteError.unreachable {}
        }
    }

    @Test func `it tries again after longer and longer waits, and what is asked meanwhile waits`() async throws {
        try await withMemoryServer { server in
            let (news, seen, clock) = (Recorder<ClientNews>(), Recorder<ViewNews>(), ManualClock())
            var options = ClientOptions()
            (options.clock, options.receive) = (clock, { news.record($0) })
            let client = try await Client.connect(to: server.target, options, on: server.loop)
            let view = try await client.open("counter") { seen.record($0) }
            _ = await seen.elements(count: 1)
            server.setReachable(false)
            server.cut()
            async let sent = view.send(JSONText(#"{"kind":"increment","by":3}"#))
            async let description = client.describe("counter")
            var waits: [Duration] = []
            for round in 0..<8 {
                // Each round reports connecting and waiting, after connecting and connected.
                let elements = await news.elements(count: 3 + 2 * round)
                guard case .state(.waiting(let reason, let delay)) = elements[2 + 2 * round] else {
                    Issue.record("\(elements)")
                    return
                }
                #expect(reason == (round == 0 ? "the server ended the connection" : "nobody is there"))
                waits.append(delay)
                if round == 7 { server.setReachable(true) }
                while news.elements.count < 4 + 2 * round {
                    clock.advance(by: delay)
                    await Task.yield()
                }
            }
            #expect(waits == [100, 200, 400, 800, 1_600, 3_200, 5_000, 5_000].map { .milliseconds($0) })
            #expect(try await sent == 2)
            #expect(try await description.withValue { $0.member("name")?.string() } == "counter")
            #expect(seen.elements.last == .event(JSONText(#"{"kind":"count","value":3}"#), seq: 2))
            #expect(news.elements.last == .state(.connected))
            await client.close()
        }
    }

    @Test func `an event that waits for a connection can be given up, and those behind it are sent`() async throws {
        try await withMemoryServer { server in
            let (news, seen, clock) = (Recorder<ClientNews>(), Recorder<ViewNews>(), ManualClock())
            var options = ClientOptions()
            (options.clock, options.receive) = (clock, { news.record($0) })
            let client = try await Client.connect(to: server.target, options, on: server.loop)
            let view = try await client.open("counter") { seen.record($0) }
            try await view.send(JSONText(#"{"kind":"increment","by":1}"#))
            server.cut()
            _ = await news.elements(count: 3)
            let given = Task { try await view.send(JSONText(#"{"kind":"increment","by":10}"#)) }
            let asked = Task { try await client.describe("counter") }
            given.cancel()
            asked.cancel()
            await #expect(throws: CancellationError.self) { _ = try await given.value }
            await #expect(throws: CancellationError.self) { _ = try await asked.value }
            async let kept = view.send(JSONText(#"{"kind":"increment","by":100}"#))
            while news.elements.last != .state(.connected) {
                clock.advance(by: .milliseconds(100))
                await Task.yield()
            }
            #expect(try await kept == 3)
            #expect(seen.elements.last == .event(JSONText(#"{"kind":"count","value":101}"#), seq: 3))
            await client.close()
        }
    }

    @Test func `an event that was given up before the connection was lost isn't sent again`() async throws {
        try await withMemoryServer { server in
            let (news, seen, clock) = (Recorder<ClientNews>(), Recorder<ViewNews>(), ManualClock())
            var options = ClientOptions()
            (options.clock, options.receive) = (clock, { news.record($0) })
            // Enough for the beginning, and for nothing that comes after it.
            server.cutAfter { CutRelay.Budget(toServer: 420) }
            let client = try await Client.connect(to: server.target, options, on: server.loop)
            server.cutAfter(nil)
            let view = try await client.open("orders", arguments: JSONText(#"{"delay":0}"#)) { seen.record($0) }
            let long = String(repeating: "x", count: 1_000)
            let given = Task { try await view.send(JSONText(#"{"kind":"loadOrders","ignored":"\#(long)"}"#)) }
            given.cancel()
            await #expect(throws: CancellationError.self) { _ = try await given.value }
            while news.elements.last != .state(.connected) || news.elements.count < 4 {
                clock.advance(by: .milliseconds(100))
                await Task.yield()
            }
            let none = await #expect(throws: RemoteError.self) {
                try await view.send(JSONText(#"{"kind":"selectOrder","index":0}"#))
            }
            #expect("\(try #require(none))" == "there is no order 0: no orders are loaded")
            #expect(seen.elements.isEmpty)
            await client.close()
        }
    }

    @Test func `a server that is started anew on its socket is found again`() async throws {
        try await withSocketPath { path in
            let (news, seen, clock) = (Recorder<ClientNews>(), Recorder<ViewNews>(), ManualClock())
            var options = ClientOptions()
            (options.clock, options.receive) = (clock, { news.record($0) })
            let opened = Locked<ClientView?>(nil)
            try await withRunningServer(["--unix", path]) { server in
                _ = try #require(await server.address())
                let connected = try await Client.connect(to: .unix(path), options)
                let view = try await connected.open("counter") { seen.record($0) }
                opened.with { $0 = view }
            }
            #expect(await seen.elements(count: 2).last == .ended(.sessionEnded(.serverShutdown)))
            // It waits for its next attempt, and nothing but this test moves its clock.
            _ = await news.elements(count: 3)
            try await withRunningServer(["--unix", path]) { server in
                _ = try #require(await server.address())
                while news.elements.last != .state(.connected) {
                    clock.advance(by: .milliseconds(100))
                    await Task.yield()
                }
                let connected = try #require(opened.with { $0 }).client
                #expect(try await connected.describe("counter").withValue { $0.member("name")?.string() } == "counter")
                _ = try await connected.open("counter") { _ in }
                await connected.close()
            }
        }
    }

    @Test func `events that are lost end a view whose view model makes no snapshot`() async throws {
        var limits = Limits()
        limits.replayEvents = 2
        try await withMemoryServer(limits: limits) { server in
            let (news, seen, clock) = (Recorder<ClientNews>(), Recorder<ViewNews>(), ManualClock())
            var options = ClientOptions()
            (options.clock, options.receive) = (clock, { news.record($0) })
            let client = try await Client.connect(to: server.target, options, on: server.loop)
            let view = try await client.open("counter") { seen.record($0) }
            _ = await seen.elements(count: 1)
            let other = try await Client.connect(to: server.target, on: server.loop)
            let otherView = try await other.attach(key: view.key, since: 0) { _ in }
            server.cutOldest()
            _ = await news.elements(count: 3)
            for _ in 0..<5 { try await otherView.send(JSONText(#"{"kind":"increment","by":1}"#)) }
            while news.elements.last != .state(.connected) {
                clock.advance(by: .milliseconds(100))
                await Task.yield()
            }
            #expect(await seen.elements(count: 2).last == .ended(.sessionEnded(.eventsLost)))
            await client.close()
            await other.close()
        }
    }

    @Test func `a program that ends takes its sessions along`() async throws {
        try await withSocketPath { file in
            let (news, seen) = (Recorder<ClientNews>(), Recorder<ViewNews>())
            var options = ClientOptions()
            options.receive = { news.record($0) }
            // It says who it is, and then it is the server.
            let script = #"echo $$ > "$1"; exec "$0" --stdio"#
            let client = try await Client.connect(to: .program(["sh", "-c", script, Executable.path, file]), options)
            let view = try await client.open("orders", arguments: JSONText(#"{"delay":3600}"#)) { seen.record($0) }
            let loading = Task { try await view.send(JSONText(#"{"kind":"loadOrders"}"#)) }
            _ = await seen.elements(count: 1)
            let written = try String(contentsOfFile: file, encoding: .utf8)
            kill(try #require(pid_t(written.dropLast())), SIGKILL)
            let lost = RemoteError.connectionLost("sh was ended by signal 9")
            await #expect(throws: lost) { _ = try await loading.value }
            #expect(await seen.elements(count: 2).last == .ended(lost))
            #expect(await news.elements(count: 3).last == .state(.closed(lost)))
            await client.close()
        }
    }

    @Test func `a client that is let go ends in good order, and the program with it`() async throws {
        let news = Recorder<ClientNews>()
        var options = ClientOptions()
        options.receive = { news.record($0) }
        do {
            // Ends a while after its connection: when the one that reads its output does.
            let script = #""$0" --stdio; exec "$0" --version >/dev/null"#
            _ = try await Client.connect(to: .program(["sh", "-c", script, Executable.path]), options)
        }
        #expect(await news.elements(count: 3).last == .state(.closed(nil)))
    }
}
