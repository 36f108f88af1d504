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
        #expect(sample.events.elements == [.loading(true), .orders(OrdersScene.orders(3)), .loading(false)])
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
            return [Order(id: 0, name: "Order #0")]
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
        let scene = OrdersScene(ListProvider { OrdersScene.orders(3) })
        let sample = try scene.orders()
        try await sample.model.handle(event: .loadOrders)
        let error = await #expect(throws: OrdersViewModel.Failure.noOrder(index: index, count: 3)) {
            try await sample.model.handle(event: .selectOrder(index: index))
        }
        #expect(error?.description == "there is no order \(index): the list goes from 0 to 2")
        #expect(sample.events.elements.count == 3)
        #expect(scene.navigator.steps.elements.isEmpty)
    }

    @Test func `a choice pushes the details of that order`() async throws {
        let scene = OrdersScene(ListProvider { OrdersScene.orders(8) })
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
        let scene = OrdersScene(ListProvider { OrdersScene.orders(3) })
        let model = try scene.orders().model
        #expect(await model.snapshot() == [.loading(false), .orders([])])
        try await model.handle(event: .loadOrders)
        let cancelled: CancelledOrders = try scene.container.resolve()
        cancelled.cancel(OrdersScene.orders(3)[1])
        #expect(await model.snapshot() == [.loading(false), .orders(OrdersScene.orders(3)), .cancelled(id: 1)])
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
