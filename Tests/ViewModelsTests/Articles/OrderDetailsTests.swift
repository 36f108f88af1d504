import Synchronization
import TestSupport
import Testing
import ViewModels

/// A list of orders whose rows open an order's details: no view model knows a View, and none says where it
/// shows another.
@Suite(.inTurn) struct OrderDetailsTests {
    private let container = Container()
    private let navigator: ScreenNavigator

    init() throws {
        container.register((any OrdersProvider).self) { _ in HundredOrders() }
        container.register((any Navigator).self) { ScreenNavigator(container: $0, view: Self.makeView(for:)) }
        let navigator: any Navigator = try container.resolve()
        self.navigator = try #require(navigator as? ScreenNavigator)
    }

    private func loadedOrders() async throws -> OrdersView {
        let view = OrdersView(viewModel: try container.resolve())
        try await view.viewModel.loadOrders()
        return view
    }

    @Test func `a selected row presents the details of its order`() async throws {
        let orders = try await loadedOrders()
        try await orders.didSelectRow(at: 7)
        #expect(navigator.views.count == 1)
        #expect((navigator.views.last as? OrderDetailsView)?.title == "Details of Order #7")
    }

    @Test func `dismissing takes them off, and View and view model go together`() async throws {
        weak var view: OrderDetailsView?
        weak var model: OrderDetailsViewModel?
        let orders = try await loadedOrders()
        try await orders.didSelectRow(at: 7)
        do {
            let shown = try #require(navigator.views.last as? OrderDetailsView)
            view = shown
            model = shown.viewModel
            shown.didTapClose()
        }
        #expect(navigator.views.isEmpty)
        #expect(view == nil)
        #expect(model == nil)
    }

    @Test func `the details push their history, and going back pops it`() async throws {
        let orders = try await loadedOrders()
        try await orders.didSelectRow(at: 7)
        let details = try #require(navigator.views.last as? OrderDetailsView)
        try details.didTapHistory()
        #expect((navigator.views.last as? HistoryView)?.title == "History of Order #7")
        details.didTapBack()
        #expect(navigator.views.count == 1)
        details.didTapBack()
        #expect(navigator.views.last === details, "the root of a stack isn't popped")
    }

    @Test func `a dismissed screen takes along those that were pushed onto it`() async throws {
        let orders = try await loadedOrders()
        try await orders.didSelectRow(at: 7)
        let details = try #require(navigator.views.last as? OrderDetailsView)
        try details.didTapHistory()
        details.didTapClose()
        #expect(navigator.views.isEmpty)
        details.didTapClose()
        #expect(navigator.views.isEmpty)
    }

    @Test func `a row that isn't there presents nothing`() async throws {
        let orders = OrdersView(viewModel: try container.resolve())
        await #expect(throws: OrdersViewModel.NoOrder()) { try await orders.didSelectRow(at: 0) }
        #expect(navigator.views.isEmpty)
    }

    @Test func `a test gives its own orders and touches nothing else`() async throws {
        let session = Container(in: container)
        session.register((any OrdersProvider).self) { _ in OneOrder() }
        let view = OrdersView(viewModel: try session.resolve())
        try await view.viewModel.loadOrders()
        try await view.didSelectRow(at: 0)
        #expect((navigator.views.last as? OrderDetailsView)?.title == "Details of Book #451")
    }

    @Test func `all goes with the container`() async throws {
        weak var navigator: ScreenNavigator?
        weak var view: OrderDetailsView?
        do {
            let container = Container()
            container.register((any OrdersProvider).self) { _ in HundredOrders() }
            container.register((any Navigator).self) { ScreenNavigator(container: $0, view: Self.makeView(for:)) }
            let orders = OrdersView(viewModel: try container.resolve())
            try await orders.viewModel.loadOrders()
            try await orders.didSelectRow(at: 7)
            let shown: any Navigator = try container.resolve()
            navigator = shown as? ScreenNavigator
            view = navigator?.views.last as? OrderDetailsView
            #expect(view != nil)
        }
        #expect(navigator == nil)
        #expect(view == nil)
    }
}

// MVVM's middle and the model.

extension OrderDetailsTests {
    private struct Order: Sendable {
        let id: Int
        let name: String
    }

    private protocol OrdersProvider: Sendable {
        func loadOrders() async throws -> [Order]
    }

    private struct HundredOrders: OrdersProvider {
        func loadOrders() -> [Order] {
            (0..<100).map { Order(id: $0, name: "Order") }
        }
    }

    private struct OneOrder: OrdersProvider {
        func loadOrders() -> [Order] {
            [Order(id: 451, name: "Book")]
        }
    }

    private actor OrdersViewModel: PerRequest {
        struct NoOrder: Error, Equatable {}

        private var orders: [Order] = []
        private let ordersProvider: any OrdersProvider
        private let presenter: PresenterService

        init(container: Container, arguments: Void) throws {
            ordersProvider = try container.resolve()
            presenter = try container.resolve()
        }

        func loadOrders() async throws {
            orders = try await ordersProvider.loadOrders()
        }

        func showOrderDetails(forOrderIndex index: Int) throws {
            guard orders.indices.contains(index) else { throw NoOrder() }
            try presenter.present(OrderDetailsViewModel.self, arguments: orders[index])
        }
    }

    private final class OrderDetailsViewModel: PerRequest {
        let title: String
        private let order: Order
        private let presenter: PresenterService
        private let navigation: NavigationService

        init(container: Container, arguments: Order) throws {
            order = arguments
            title = "Details of \(arguments.name) #\(arguments.id)"
            presenter = try container.resolve()
            navigation = try container.resolve()
        }

        func showHistory() throws {
            try navigation.push(HistoryViewModel.self, arguments: order)
        }

        func back() {
            navigation.pop()
        }

        func close() {
            presenter.dismiss()
        }
    }

    private final class HistoryViewModel: PerRequest {
        let title: String

        init(container: Container, arguments: Order) {
            title = "History of \(arguments.name) #\(arguments.id)"
        }
    }

    // The Views, which know a view model and nothing of each other.

    private final class OrdersView: Sendable {
        let viewModel: OrdersViewModel

        init(viewModel: OrdersViewModel) {
            self.viewModel = viewModel
        }

        func didSelectRow(at index: Int) async throws {
            try await viewModel.showOrderDetails(forOrderIndex: index)
        }
    }

    private final class OrderDetailsView: Sendable {
        let viewModel: OrderDetailsViewModel

        init(viewModel: OrderDetailsViewModel) {
            self.viewModel = viewModel
        }

        var title: String { viewModel.title }

        func didTapHistory() throws {
            try viewModel.showHistory()
        }

        func didTapBack() {
            viewModel.back()
        }

        func didTapClose() {
            viewModel.close()
        }
    }

    private final class HistoryView: Sendable {
        let viewModel: HistoryViewModel

        init(viewModel: HistoryViewModel) {
            self.viewModel = viewModel
        }

        var title: String { viewModel.title }
    }

    /// The one place that knows which View shows which view model.
    @Sendable private static func makeView(for viewModel: AnyObject) -> (any AnyObject & Sendable)? {
        switch viewModel {
        case let viewModel as OrderDetailsViewModel: OrderDetailsView(viewModel: viewModel)
        case let viewModel as HistoryViewModel: HistoryView(viewModel: viewModel)
        default: nil
        }
    }
}
