import Examples
import TestSupport
import Testing
import ViewModels

@Suite(.inTurn) struct OrdersViewModelTests {
    private let clock = ManualClock()

    private func sample(_ count: Int) throws -> Recorded<OrdersViewModel> {
        try OrdersScene(SampleOrdersProvider(clock: clock)).orders(.init(count: count))
    }

    @Test func `loading is shown until the orders are there`() async throws {
        let sample = try sample(3)
        async let loading: Void = sample.model.handle(event: .loadOrders)
        await clock.sleepers(1)
        #expect(sample.events.elements == [.loading(true)])
        clock.advance(by: .milliseconds(999))
        #expect(sample.events.elements == [.loading(true)])
        clock.advance(by: .milliseconds(1))
        try await loading
        #expect(sample.events.elements == [.loading(true), .loading(false)])
        #expect(await sample.model.orders.count == 3)
        #expect(try await sample.model.orders.rows(in: 0..<9) == OrdersScene.orders(0..<3))
    }

    @Test func `of a million orders those are made that somebody looks at`() async throws {
        let asked = Recorder<Range<Int>>()
        struct Provider: OrdersProvider {
            let asked: Recorder<Range<Int>>
            func countOrders(_ wish: OrdersViewModel.Arguments) -> Int { 1_000_000 }
            func orders(in range: Range<Int>) -> [Order] {
                asked.record(range)
                return OrdersScene.orders(range)
            }
        }
        let scene = OrdersScene(Provider(asked: asked))
        let model = try scene.orders().model
        try await model.handle(event: .loadOrders)
        #expect(await model.orders.count == 1_000_000)
        #expect(asked.elements.isEmpty)
        #expect(try await model.orders.rows(in: 999_998..<1_000_002) == OrdersScene.orders(999_998..<1_000_000))
        try await model.handle(event: .selectOrder(index: 999_999))
        #expect(asked.elements == [999_998..<1_000_000, 999_999..<1_000_000])
        #expect(scene.navigator.steps.elements == ["push OrderDetailsViewModel with Order #999999"])
    }

    @Test func `whoever asks for it is told how far loading is`() async throws {
        let sample = try sample(3)
        let values = Recorder<WorkDoneProgress.Value>()
        async let loading: Void = WorkDoneProgress.$current.withValue(WorkDoneProgress { values.record($0) }) {
            try await sample.model.handle(event: .loadOrders)
        }
        await clock.sleepers(1)
        #expect(values.elements == [.begin(title: "Loading orders", message: nil, percentage: nil)])
        clock.advance(by: .seconds(1))
        try await loading
        let rest = await values.elements(count: 3).dropFirst()
        #expect(rest == [.report(message: "3 orders", percentage: 100), .end(message: nil)])
    }

    @Test func `nothing is sent before anything is asked`() async throws {
        let sample = try sample(3)
        try? await AnyViewModel(sample.model).start()
        #expect(sample.events.elements.isEmpty)
    }

    @Test func `a provider that fails is told in words, and loading ends`() async throws {
        let failing = try OrdersScene(ListProvider { throw Unreachable() }).orders()
        try await failing.model.handle(event: .loadOrders)
        #expect(
            failing.events.elements == [
                .loading(true), .failed(message: "the order service can't be reached"), .loading(false),
            ])
    }

    @Test func `a failure keeps the orders that were loaded before`() async throws {
        let attempts = Recorder<Int>()
        let provider = ListProvider {
            attempts.record(1)
            if attempts.elements.count > 1 { throw Unreachable() }
            return 1
        }
        let scene = OrdersScene(provider)
        let model = try scene.orders().model
        try await model.handle(event: .loadOrders)
        try await model.handle(event: .loadOrders)
        try await model.handle(event: .selectOrder(index: 0))
    }

    @Test func `loading that is cancelled ends, and says nothing else`() async throws {
        let sample = try sample(3)
        let task = Task { try await sample.model.handle(event: .loadOrders) }
        await clock.sleepers(1)
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(sample.events.elements == [.loading(true), .loading(false)])
    }

    @Test(arguments: [-1, 3, Int.min, Int.max])
    func `a choice that isn't there is an error that says what is`(index: Int) async throws {
        let scene = OrdersScene(ListProvider { 3 })
        let sample = try scene.orders()
        try await sample.model.handle(event: .loadOrders)
        let error = await #expect(throws: OrdersViewModel.Failure.noOrder(index: index, count: 3)) {
            try await sample.model.handle(event: .selectOrder(index: index))
        }
        #expect(error?.description == "there is no order \(index): the list goes from 0 to 2")
        #expect(sample.events.elements.count == 2)
        #expect(scene.navigator.steps.elements.isEmpty)
    }

    @Test func `a choice pushes the details of that order`() async throws {
        let scene = OrdersScene(ListProvider { 8 })
        let model = try scene.orders().model
        try await model.handle(event: .loadOrders)
        try await model.handle(event: .selectOrder(index: 7))
        #expect(scene.navigator.steps.elements == ["push OrderDetailsViewModel with Order #7"])
    }

    @Test func `the list is told once what was cancelled elsewhere in its session`() async throws {
        let scene = OrdersScene()
        let sample = try scene.orders()
        await sample.model.start()
        let cancelled: CancelledOrders = try scene.container.resolve()
        let order = Order(id: 7, name: "Order #7")
        cancelled.cancel(order)
        cancelled.cancel(order)
        #expect(sample.events.elements == [.cancelled(id: 7)])
    }

    @Test func `a late View is told the list as it is`() async throws {
        let scene = OrdersScene(ListProvider { 3 })
        let model = try scene.orders().model
        #expect(await model.snapshot() == [.loading(false)])
        try await model.handle(event: .loadOrders)
        let cancelled: CancelledOrders = try scene.container.resolve()
        for order in OrdersScene.orders(1..<3).reversed() { cancelled.cancel(order) }
        #expect(await model.snapshot() == [.loading(false), .cancelled(id: 1), .cancelled(id: 2)])
    }

    @Test func `nothing can be chosen before anything is loaded`() async throws {
        let model = try sample(3).model
        let error = await #expect(throws: OrdersViewModel.Failure.noOrder(index: 0, count: 0)) {
            try await model.handle(event: .selectOrder(index: 0))
        }
        #expect(error?.description == "there is no order 0: no orders are loaded")
    }
}

private struct Unreachable: Error, CustomStringConvertible {
    var description: String { "the order service can't be reached" }
}
