import Examples
import FoundationEssentials
import TestSupport
import Testing
import ViewModelClient
import ViewModels

@Suite(.inTurn, .timeLimit(.minutes(4))) struct RemoteViewModelTests {
    typealias Counter = RemoteViewModel<CounterViewModel.ViewModelEvent, CounterViewModel.ViewEvent>

    private func reach(
        _ server: MemoryServer, asksWhoIsHere: Bool = false, _ reports: Recorder<String> = Recorder()
    ) async throws -> RemoteServer {
        var options = ClientOptions()
        options.asksWhoIsHere = asksWhoIsHere
        options.backoff = Backoff(first: .zero, longest: .zero)
        return try await RemoteServer.reach(server.target, options, on: server.loop) { reports.record($0) }
    }

    @Test func `a View binds it as it binds a local one`() async throws {
        try await withMemoryServer { server in
            let remote = try await reach(server)
            let counter: Counter = remote.viewModel("counter", arguments: CounterViewModel.Arguments(start: 5))
            let view = CounterView()
            try await view.bind(with: counter)
            view.output.send(.increment(by: 2))
            #expect(await view.events.elements(count: 2) == [.count(5), .count(7)])
            view.output.send(.increment(by: .max))
            let failures = await view.failures.elements(count: 1)
            #expect(failures == ["7 + 9223372036854775807 is beyond what a counter can hold"])
            await remote.close()
        }
    }

    @Test func `what was left is listed, and gone on with by its key`() async throws {
        try await withSocketPath { path in
            let store = "sqlite:\(path).store"
            try await withRunningServer(["--unix", path, "--store", store]) { running in
                _ = try #require(await running.address())
                let first = try await RemoteServer.connect(path: path)
                let counter: Counter = first.viewModel("counter", arguments: CounterViewModel.Arguments(start: 5))
                let left = CounterView()
                try await left.bind(with: counter)
                let key = try #require(counter.key)
                await first.close()
                let second = try await RemoteServer.connect(path: path)
                let kept = try await second.keptSessions()
                #expect(kept.map(\.key) == [key] && kept.map(\.viewModel) == ["counter"])
                #expect(kept.first?.arguments == #"{"start":5}"# && kept.first?.title == nil && kept.first?.views == 0)
                #expect(kept.first?.lastUsed.hasSuffix("Z") == true)
                let again: Counter = second.viewModel(key: key)
                let view = CounterView()
                try await view.bind(with: again)
                #expect(await view.events.elements(count: 1) == [.count(5)])
                await second.close()
            }
        }
    }

    @Test func `who asks is told who is here, and who has a key to look is refused`() async throws {
        try await withMemoryServer { server in
            let (ada, bob) = (try await reach(server, asksWhoIsHere: true), try await reach(server))
            let counter: Counter = ada.viewModel("counter")
            let told = Recorder<[RemoteViewer]>()
            let subscription = counter.viewers.subscribe { told.record($0) }
            let view = CounterView()
            try await view.bind(with: counter)
            #expect(!counter.looksOnly)
            let reading: Counter = bob.viewModel(key: try await counter.readKey())
            let reader = CounterView()
            try await reader.bind(with: reading)
            #expect(reading.looksOnly)
            #expect(await reader.events.elements(count: 1) == [.count(0)])
            let refused = await #expect(throws: RemoteError.self) { try await reading.handle(event: .increment(by: 1)) }
            #expect(refused?.isRefusal(code: -32017) == true)
            #expect(try await reading.readKey() == counter.readKey())
            try await reading.detach()
            let program = "view-model-client"
            #expect(
                await told.elements(count: 3).map { $0.map { [$0.isSelf, $0.looksOnly] } }
                    == [[[true, false]], [[true, false], [false, true]], [[true, false]]])
            #expect(told.elements.joined().allSatisfy { $0.program == program && $0.principal == nil })
            withExtendedLifetime(subscription) {}
            await ada.close()
            await bob.close()
        }
    }

    @Test func `a server lets in who has its token`() async throws {
        try await withSocketPath { path in
            let file = "\(path).token"
            try Data("open-sesame-please\n".utf8).write(to: URL(filePath: file))
            try await withRunningServer(["--unix", path, "--token-file", file]) { running in
                _ = try #require(await running.address())
                let refused = await #expect(throws: RemoteError.self) { _ = try await RemoteServer.connect(path: path) }
                guard case .notAllowed = refused else {
                    Issue.record("\(String(describing: refused))")
                    return
                }
                var options = RemoteServer.Options()
                options.token = "open-sesame-please"
                let server = try await RemoteServer.connect(path: path, options: options)
                #expect(server.viewModelNames.contains("counter"))
                #expect(server.scope(of: "todos") == .person && server.scope(of: "counter") == nil)
                #expect(server.state == .connected)
                await server.close()
                #expect(server.state == .closed(nil))
            }
        }
    }

    @Test func `whoever lets the View go leaves the session, for who comes back`() async throws {
        try await withMemoryServer { server in
            let remote = try await reach(server)
            let watching: Counter
            weak var released: Counter?
            do {
                let counter: Counter = remote.viewModel("counter")
                released = counter
                let view = CounterView()
                try await view.bind(with: counter)
                watching = remote.viewModel(key: try #require(counter.key))
                // A counter makes no snapshot, so its first event, which is still kept, is the first of a late View.
                try await view.viewModel?.handle(event: .reset)
            }
            #expect(released == nil)
            _ = watching
            try await watching.start()
            try await watching.handle(event: .reset)
            await remote.close()
        }
    }

    @Test func `the connection ends with the server and all its view models`() async throws {
        try await withMemoryServer { server in
            let states = Recorder<RemoteState>()
            var remote: RemoteServer? = try await reach(server)
            let subscription = remote?.states.subscribe { states.record($0) }
            var counter: Counter? = remote?.viewModel("counter")
            try await counter?.start()
            remote = nil
            try await counter?.handle(event: .reset)
            #expect(states.elements.isEmpty)
            counter = nil
            #expect(await states.elements(count: 1) == [.closed(nil)])
            withExtendedLifetime(subscription) {}
        }
    }

    /// Knows less than the server's view model, and something else.
    private enum Known: Codable, Equatable {
        case rows([Row])
        case somethingElse

        struct Row: Codable, Equatable {
            var id: Int
        }
    }

    @Test func `an event that isn't known is left out and reported`() async throws {
        try await withMemoryServer { server in
            let (reports, events) = (Recorder<String>(), Recorder<Known>())
            let remote = try await reach(server, reports)
            let counter: RemoteViewModel<Known, CounterViewModel.ViewEvent> = remote.viewModel("counter")
            let subscription = counter.output.subscribe { events.record($0) }
            try await counter.start()
            try await counter.handle(event: .load)
            #expect(events.elements == [.rows((0..<100).map { Known.Row(id: $0) })])
            #expect(reports.elements == ["counter: an event was left out: /kind: unknown kind 'count'"])
            withExtendedLifetime(subscription) {}
            await remote.close()
        }
    }

    @Test func `nothing can be asked before it is started, and nothing after it is closed`() async throws {
        try await withMemoryServer { server in
            let remote = try await reach(server)
            let counter: Counter = remote.viewModel("counter")
            #expect(counter.key == nil)
            await #expect(throws: RemoteError.notStarted) { try await counter.handle(event: .reset) }
            try await counter.start()
            try await counter.start()
            try await counter.handle(event: .reset)
            try await counter.close()
            try await counter.close()
            await #expect(throws: RemoteError.closed) { try await counter.handle(event: .reset) }
            await remote.close()
        }
    }

    @Test func `one that couldn't be opened can be started again`() async throws {
        try await withMemoryServer { server in
            let remote = try await reach(server)
            let nothing: Counter = remote.viewModel("nothing")
            for _ in 0..<2 { await #expect(throws: RemoteError.self) { try await nothing.start() } }
            struct Unencodable: Encodable {
                var number = Double.nan
            }
            let counter: Counter = remote.viewModel("counter", arguments: Unencodable())
            await #expect(throws: (any Error).self) { try await counter.start() }
            await remote.close()
        }
    }

    @Test func `the end of a session is told, and why`() async throws {
        try await withMemoryServer { server in
            let (remote, ends) = (try await reach(server), Recorder<RemoteError>())
            let counter: Counter = remote.viewModel("counter")
            let subscription = counter.ended.subscribe { ends.record($0) }
            try await counter.start()
            server.restart()
            #expect(await ends.elements(count: 1) == [.sessionEnded(.forgotten)])
            await #expect(throws: RemoteError.sessionEnded(.forgotten)) { try await counter.handle(event: .reset) }
            withExtendedLifetime(subscription) {}
            await remote.close()
        }
    }

    @Test func `cancelling the task cancels the handler on the server`() async throws {
        try await withMemoryServer { server in
            let (remote, events) = (try await reach(server), Recorder<OrdersViewModel.ViewModelEvent>())
            let orders: RemoteViewModel<OrdersViewModel.ViewModelEvent, OrdersViewModel.ViewEvent> =
                remote.viewModel("orders")
            let subscription = orders.output.subscribe { events.record($0) }
            try await orders.start()
            let loading = Task { try await orders.handle(event: .loadOrders) }
            await server.clock.sleepers(1)
            loading.cancel()
            await #expect(throws: CancellationError.self) { try await loading.value }
            #expect(events.elements == [.loading(true), .loading(false)])
            withExtendedLifetime(subscription) {}
            await remote.close()
        }
    }

    @Test func `progress is reported as that of a local one`() async throws {
        try await withMemoryServer { server in
            let (remote, values) = (try await reach(server), Recorder<WorkDoneProgress.Value>())
            let orders: RemoteViewModel<OrdersViewModel.ViewModelEvent, OrdersViewModel.ViewEvent> =
                remote.viewModel("orders", arguments: OrdersViewModel.Arguments(count: 2, delay: 0))
            try await orders.start()
            try await WorkDoneProgress.$current.withValue(WorkDoneProgress { values.record($0) }) {
                try await orders.handle(event: .loadOrders)
            }
            #expect(
                await values.elements(count: 3) == [
                    .begin(title: "Loading orders", message: nil, percentage: nil),
                    .report(message: "2 orders", percentage: 100), .end(message: nil),
                ])
            await remote.close()
        }
    }

    @Test(arguments: ["stop", "close", "lost"])
    func `progress goes on after the return with the work of the view model, until that ends`(way: String) async throws
    {
        try await withMemoryServer { server in
            let (remote, values) = (try await reach(server), Recorder<WorkDoneProgress.Value>())
            let watch: RemoteViewModel<StopwatchEvent, StopwatchViewModel.ViewEvent> =
                remote.viewModel("stopwatch")
            try await watch.start()
            try await WorkDoneProgress.$current.withValue(WorkDoneProgress { values.record($0) }) {
                try await watch.handle(event: .start)
            }
            let begin = WorkDoneProgress.Value.begin(title: "Measuring time", message: nil, percentage: nil)
            #expect(values.elements == [begin])
            // Another event's progress isn't this one's.
            try await watch.handle(event: .lap)
            #expect(values.elements == [begin, .report(message: "lap 1", percentage: nil)])
            switch way {
            case "stop": try await watch.handle(event: .stop)
            case "close": try await watch.close()
            default: await remote.close()
            }
            let end = await values.elements(count: 3)[2]
            #expect(end == .end(message: way == "stop" ? "0 ms" : nil))
            await remote.close()
        }
    }
}

/// A View that only records its events.
private actor CounterView: View {
    nonisolated let output = Output<CounterViewModel.ViewEvent>()
    nonisolated let events = Recorder<CounterViewModel.ViewModelEvent>()
    nonisolated let failures = Recorder<String>()

    func handle(event: CounterViewModel.ViewModelEvent) {
        events.record(event)
    }

    func handle(failure: any Error, of event: CounterViewModel.ViewEvent) {
        failures.record("\(failure)")
    }
}

extension RemoteError {
    fileprivate func isRefusal(code: Int) -> Bool {
        if case .refused(let refusal) = self { refusal.code == code } else { false }
    }
}
