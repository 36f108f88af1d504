import TestSupport
import Testing
import ViewModels

@MainActor @Suite struct OrdersListTests {
    private let clock = ManualClock()
    private let view = OrdersView()

    private var texts: [String] { view.list.cells.map(\.text) }

    @Test func `the list is shown a second after it is asked for, in cells with a view model each`() async throws {
        let viewModel = OrdersViewModel(ordersProvider: OrdersProvider(clock: clock))
        view.viewModel = viewModel
        #expect(texts == ["0 orders"])
        async let loading: Void = viewModel.loadOrders()
        await clock.sleepers(1)
        clock.advance(by: .milliseconds(999))
        #expect(texts == ["0 orders"])
        clock.advance(by: .milliseconds(1))
        try await loading
        await until { texts.count == 10 }
        #expect(texts == (0..<10).map { "Order #\($0)" })
        #expect((view.list.cells[7] as? OrderCell)?.viewModel?.order.id == 7)
    }

    @Test func `cells of two classes in one list get their view models from who doesn't know them, and are used again`()
        async throws
    {
        try await load(OrdersViewModel(ordersProvider: OrdersProvider(clock: clock)))
        let made = view.list.madeCells
        view.scroll(to: 95)
        #expect(texts == ["Order #95", "Order #96", "Order #97", "Order #98", "Order #99", "100 orders"])
        #expect(view.list.cells.last is SummaryCell)
        view.scroll(to: 0)
        #expect(texts == (0..<10).map { "Order #\($0)" })
        // The summary's was made for the empty list.
        #expect(view.list.madeCells == made)
    }

    @Test func `a cell that is given what it can't show keeps what it shows`() async throws {
        try await load(OrdersViewModel(ordersProvider: OrdersProvider(clock: clock)))
        let cell = try #require(view.list.cells[7] as? any HasAnyViewModel)
        cell.anyViewModel = 100
        #expect(texts[7] == "Order #7")
        #expect((cell.anyViewModel as? OrderViewModel)?.order.id == 7)
    }

    @Test func `the same list follows a property of an actor`() async throws {
        let viewModel = ObservedOrdersViewModel(ordersProvider: OrdersProvider(clock: clock))
        await view.follow(viewModel)
        #expect(texts.isEmpty)
        async let loading: Void = viewModel.loadOrders()
        await clock.sleepers(1)
        clock.advance(by: .seconds(1))
        try await loading
        await until { texts.count == 10 }
        #expect(texts[7] == "Order #7")
    }

    @Test func `the list goes with its view model, its cells and theirs`() async throws {
        weak var weakView: OrdersView?
        weak var weakViewModel: OrdersViewModel?
        weak var weakCell: Cell?
        weak var weakOrder: OrderViewModel?
        do {
            let view = OrdersView()
            let viewModel = OrdersViewModel(ordersProvider: OrdersProvider(clock: clock))
            (weakView, weakViewModel) = (view, viewModel)
            view.viewModel = viewModel
            async let loading: Void = viewModel.loadOrders()
            await clock.sleepers(1)
            clock.advance(by: .seconds(1))
            try await loading
            await until { view.list.cells.count == 10 }
            weakCell = view.list.cells[0]
            weakOrder = viewModel.orders[0]
            #expect(weakCell != nil)
        }
        // The notification that came last may let go of them a moment later.
        await until { weakView == nil && weakViewModel == nil && weakCell == nil && weakOrder == nil }
    }

    private func load(_ viewModel: OrdersViewModel) async throws {
        view.viewModel = viewModel
        async let loading: Void = viewModel.loadOrders()
        await clock.sleepers(1)
        clock.advance(by: .seconds(1))
        try await loading
        await until { texts.count == 10 }
    }
}
