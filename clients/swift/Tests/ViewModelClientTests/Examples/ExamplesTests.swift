import Examples
import TestSupport
import Testing
import ViewModelClient
import ViewModels

/// Each example program does the same with a view model of this process and with one on a server.
@Suite(.inTurn, .timeLimit(.minutes(2))) struct ExamplesTests {
    enum Place: CaseIterable {
        case here, stdio, tcp, unix
        /// A server that serves others as well, where one is named.
        case given
        /// In memory, over connections that break all the time.
        case breaking

        static var allCases: [Place] {
            [.here, .stdio, .tcp, .unix, .breaking] + (Executable.givenPort == nil ? [] : [.given])
        }
    }

    private func on(_ place: Place, _ body: (any Stage) async throws -> Void) async throws {
        switch place {
        case .here: try await body(LocalStage())
        case .stdio: try await run(on: RemoteServer.spawn([Executable.path, "--stdio"]), body)
        case .tcp:
            try await withRunningServer(["--tcp", "0"]) { running in
                let port = try #require(await running.port())
                try await run(on: RemoteServer.connect(port: port), body)
            }
        case .given: try await run(on: RemoteServer.connect(port: try #require(Executable.givenPort)), body)
        case .breaking: try await runOverBreakingConnections(body)
        case .unix:
            try await withSocketPath { path in
                try await withRunningServer(["--unix", path]) { running in
                    _ = try #require(await running.address())
                    try await run(on: RemoteServer.connect(path: path), body)
                }
            }
        }
    }

    private func runOverBreakingConnections(_ body: (any Stage) async throws -> Void) async throws {
        try await withMemoryServer { memory in
            let generator = BudgetGenerator(seed: 7, longest: 20_000)
            var options = ClientOptions()
            options.backoff = Backoff(first: .zero, longest: .zero)
            let server = try await RemoteServer.reach(memory.target, options, on: memory.loop)
            let waits = Recorder<RemoteState>()
            let subscription = server.states.subscribe { if case .waiting = $0 { waits.record($0) } }
            memory.cutAfter { generator.budget() }
            memory.cut()
            try await body(RemoteStage(server: server))
            #expect(!waits.elements.isEmpty)
            memory.cutAfter(nil)
            withExtendedLifetime(subscription) {}
            await server.close()
        }
    }

    private func run(on server: RemoteServer, _ body: (any Stage) async throws -> Void) async throws {
        try await body(RemoteStage(server: server))
        await server.close()
    }

    @Test(arguments: Place.allCases)
    func `the label says hello when its button is pressed`(place: Place) async throws {
        try await on(place) { stage in
            let view = try await NotingView.bound(with: stage.hello())
            view.output.send(.sayHello)
            #expect(await view.events.elements(count: 2) == [.helloText(""), .helloText("Hello")])
        }
    }

    @Test(arguments: Place.allCases)
    func `the counter counts, and says why it can't`(place: Place) async throws {
        try await on(place) { stage in
            let view = try await NotingView.bound(with: stage.counter(.init(start: 5)))
            for event: CounterViewModel.ViewEvent in [.increment(by: 3), .increment(by: .max), .reset, .load] {
                view.output.send(event)
            }
            let events = await view.events.elements(count: 4)
            #expect(events.prefix(3) == [.count(5), .count(8), .count(5)])
            guard case .rows(let rows) = events[3] else {
                Issue.record("\(events)")
                return
            }
            #expect(rows.map(\.id) == Array(0..<100) && rows.allSatisfy { $0.total == 123.45 })
            #expect(view.failures.elements == ["8 + 9223372036854775807 is beyond what a counter can hold"])
        }
    }

    @Test(arguments: Place.allCases)
    func `the stopwatch runs, notes a time, and stops`(place: Place) async throws {
        try await on(place) { stage in
            let model = stage.stopwatch()
            let events = Recorder<StopwatchEvent>()
            let subscription = model.output.subscribe { events.record($0) }
            try await model.start()
            _ = await events.elements(count: 3)
            for event: StopwatchViewModel.ViewEvent in [.start, .lap, .stop, .lap] {
                try await model.handle(event: event)
            }
            // All that a handler sent has come when it is answered.
            let seen = events.elements
            #expect(seen.prefix(3) == [.isRunning(false), .elapsedMilliseconds(0), .lapMilliseconds([])])
            #expect(
                seen.compactMap { if case .isRunning(let running) = $0 { running } else { nil } } == [
                    false, true, false,
                ])
            let times = seen.compactMap { if case .elapsedMilliseconds(let time) = $0 { time } else { nil } }
            let laps = seen.compactMap { if case .lapMilliseconds(let laps) = $0 { laps } else { nil } }
            #expect(times == times.sorted())
            #expect(laps.count == 2 && laps[1].count == 1 && laps[1][0] <= times.last ?? -1)
            withExtendedLifetime(subscription) {}
        }
    }

    @Test(arguments: Place.allCases)
    func `the list of things to do tells its state`(place: Place) async throws {
        try await on(place) { stage in
            let view = try await NotingView.bound(with: stage.todos())
            for event: TodosViewModel.ViewEvent in [
                .add(title: "Milk"), .add(title: " "), .add(title: "Bread"), .toggle(id: 1), .removeDone,
            ] { view.output.send(event) }
            let titles = await view.events.elements(count: 5).map { event in
                switch event {
                case .changed(let state): state.items.map { $0.isDone ? "(\($0.title))" : $0.title }
                }
            }
            #expect(titles == [[], ["Milk"], ["Milk", "Bread"], ["(Milk)", "Bread"], ["Bread"]])
            #expect(view.failures.elements == ["a thing to do needs a title"])
        }
    }

    @Test(arguments: Place.allCases)
    func `an order is chosen, looked at, cancelled and left`(place: Place) async throws {
        try await on(place) { stage in
            let screen = try stage.screen(.init(delay: 0))
            let list = try await NotingView.bound(with: screen.list)
            list.output.send(.loadOrders)
            #expect(await list.events.elements(count: 2) == [.loading(true), .loading(false)])
            #expect(try await screen.orders(98..<102).compactMap(\.self) == orders(98..<100))

            list.output.send(.selectOrder(index: 7))
            let details = try await NotingView.bound(with: screen.details())
            let shown: [OrderDetailsViewModel.ViewModelEvent] = [
                .title("Details of Order #7"), .cancelled(false), .note("", isSaved: true),
            ]
            #expect(await details.events.elements(count: 3) == shown)

            details.output.send(.cancelOrder)
            let question = try await NotingView.bound(with: screen.confirmation())
            #expect(await question.events.elements(count: 1) == [.question("Cancel Order #7?")])
            question.output.send(.confirm)
            #expect(await details.events.elements(count: 4).last == .cancelled(true))
            #expect(await list.events.elements(count: 3).last == .cancelled(id: 7))

            let steps = ["push orderDetails", "present confirmCancel", "dismiss", "pop"]
            // The order is cancelled before the question takes itself off the screen, and these details would go with it.
            #expect(await screen.steps.elements(count: 3) == steps.dropLast())
            details.output.send(.done)
            #expect(await screen.steps.elements(count: 4) == steps)
        }
    }

    private func orders(_ range: Range<Int>) -> [Order] {
        range.map { Order(id: $0, name: "Order #\($0)") }
    }
}
