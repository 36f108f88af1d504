import Examples
import TestSupport
import Testing
import ViewModels

@Suite struct OrdersViewModelTests {
    private let clock = ManualClock()

    private func orders(_ count: Int) -> [Order] {
        (0..<count).map { Order(id: $0, name: "Order #\($0)") }
    }

    private func sample(_ count: Int) -> Recorded<OrdersViewModel> {
        Recorded(OrdersViewModel(provider: SampleOrdersProvider(count: count, delay: .seconds(1), clock: clock)))
    }

    @Test func `loading is shown until the orders are there`() async throws {
        let sample = sample(3)
        async let loading: Void = sample.model.handle(event: .loadOrders)
        await clock.sleepers(1)
        #expect(sample.events.elements == [.loading(true)])
        clock.advance(by: .milliseconds(999))
        #expect(sample.events.elements == [.loading(true)])
        clock.advance(by: .milliseconds(1))
        try await loading
        #expect(sample.events.elements == [.loading(true), .orders(orders(3)), .loading(false)])
    }

    @Test func `whoever asks for it is told how far loading is`() async throws {
        let sample = sample(3)
        let values = Recorder<WorkDoneProgress.Value>()
        async let loading: Void = WorkDoneProgress.$current.withValue(WorkDoneProgress { values.record($0) }) {
            try await sample.model.handle(event: .loadOrders)
        }
        await clock.sleepers(1)
        #expect(values.elements == [.begin(title: "Loading orders", message: nil, percentage: nil)])
        clock.advance(by: .seconds(1))
        try await loading
        #expect(values.elements.dropFirst() == [.report(message: "3 orders", percentage: 100)])
    }

    @Test func `the clock of whoever makes it measures its delay`() async throws {
        let model = OrdersViewModel(arguments: .init(count: 1, delay: 3_600), clock: clock)
        async let loading: Void = model.handle(event: .loadOrders)
        await clock.sleepers(1)
        clock.advance(by: .seconds(3_600))
        try await loading
    }

    @Test func `nothing is sent before anything is asked`() async {
        let sample = sample(3)
        try? await AnyViewModel(sample.model).start()
        #expect(sample.events.elements.isEmpty)
    }

    @Test func `a provider that fails is told in words, and loading ends`() async throws {
        let failing = Recorded(OrdersViewModel(provider: ListProvider { throw Unreachable() }))
        try await failing.model.handle(event: .loadOrders)
        #expect(
            failing.events.elements == [
                .loading(true), .failed(message: "the order service can't be reached"), .loading(false),
            ])
    }

    @Test func `the sample service fails when it is asked to`() async throws {
        let failing = Recorded(OrdersViewModel(arguments: .init(delay: 0, fails: true)))
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
        let model = OrdersViewModel(provider: provider)
        try await model.handle(event: .loadOrders)
        try await model.handle(event: .loadOrders)
        try await model.handle(event: .selectOrder(index: 0))
    }

    @Test func `loading that is cancelled ends, and says nothing else`() async throws {
        let sample = sample(3)
        let task = Task { try await sample.model.handle(event: .loadOrders) }
        await clock.sleepers(1)
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(sample.events.elements == [.loading(true), .loading(false)])
    }

    @Test(arguments: [-1, 3, Int.min, Int.max])
    func `a choice that isn't there is an error that says what is`(index: Int) async throws {
        let sample = Recorded(OrdersViewModel(provider: ListProvider { [orders = orders(3)] in orders }))
        try await sample.model.handle(event: .loadOrders)
        let error = await #expect(throws: OrdersViewModel.Failure.noOrder(index: index, count: 3)) {
            try await sample.model.handle(event: .selectOrder(index: index))
        }
        #expect(error?.description == "there is no order \(index): the list goes from 0 to 2")
        #expect(sample.events.elements.count == 3)
        for index in 0..<3 { try await sample.model.handle(event: .selectOrder(index: index)) }
    }

    @Test func `nothing can be chosen before anything is loaded`() async {
        let model = sample(3).model
        let error = await #expect(throws: OrdersViewModel.Failure.noOrder(index: 0, count: 0)) {
            try await model.handle(event: .selectOrder(index: 0))
        }
        #expect(error?.description == "there is no order 0: no orders are loaded")
    }

    @Test(arguments: [(-1, 0), (Int.min, 0), (0, 0), (3, 3), (100_001, 100_000), (Int.max, 100_000), (nil, 100)])
    func `a count of any size is one that can be made`(count: Int?, expected: Int) async throws {
        let recorded = Recorded(OrdersViewModel(arguments: .init(count: count, delay: 0)))
        try await recorded.model.handle(event: .loadOrders)
        guard case .orders(let orders)? = recorded.events.elements.dropFirst().first else {
            Issue.record("no orders")
            return
        }
        #expect(orders.count == expected)
        #expect(orders.last?.id == (expected == 0 ? nil : expected - 1))
    }

    @Test(arguments: [Double.nan, -1, -Double.infinity, 0, -Double.greatestFiniteMagnitude])
    func `a delay that is none is none`(delay: Double) async throws {
        let recorded = Recorded(OrdersViewModel(arguments: .init(count: 1, delay: delay)))
        try await recorded.model.handle(event: .loadOrders)
        #expect(recorded.events.elements == [.loading(true), .orders(orders(1)), .loading(false)])
    }

    @Test(arguments: [Double.infinity, .greatestFiniteMagnitude, 1e30, 3_601])
    func `a huge delay can be cancelled`(delay: Double) async throws {
        let recorded = Recorded(OrdersViewModel(arguments: .init(count: 1, delay: delay)))
        let task = Task { try await recorded.model.handle(event: .loadOrders) }
        _ = await recorded.events.elements(count: 1)
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }
}

private struct ListProvider: OrdersProvider {
    let load: @Sendable () async throws -> [Order]

    init(_ load: @escaping @Sendable () async throws -> [Order]) {
        self.load = load
    }

    func loadOrders() async throws -> [Order] { try await load() }
}

private struct Unreachable: Error, CustomStringConvertible {
    var description: String { "the order service can't be reached" }
}
