import TestSupport
import ViewModels

/// A list of orders whose cells have view models of their own, and needn't be of one class.
///
/// The program of an article on MVVM without reactive programming, with plain classes where it has UIKit's.
struct Order: Sendable {
    let name: String
    let id: Int
}

/// A slow service: it answers a second after it is asked.
struct OrdersProvider: Sendable {
    let clock: ManualClock

    func loadOrders() async throws -> [Order] {
        try await clock.sleep(for: .seconds(1))
        return (0...99).map { Order(name: "Order", id: $0) }
    }
}

/// One cell's.
final class OrderViewModel: Sendable {
    let order: Order

    var name: String { "\(order.name) #\(order.id)" }

    init(order: Order) { self.order = order }
}

/// The list's: says when it has changed, and not what.
@MainActor final class OrdersViewModel: NotifiesOnChange {
    let changed = Event<Void>()
    private(set) var orders: [OrderViewModel] = []
    private let ordersProvider: OrdersProvider

    init(ordersProvider: OrdersProvider) { self.ordersProvider = ordersProvider }

    func loadOrders() async throws {
        orders = try await ordersProvider.loadOrders().map(OrderViewModel.init)
        changed.raise()
    }
}

/// The same with a property that can be followed. An actor this time, so it isn't where its View is.
actor ObservedOrdersViewModel {
    @Observed private(set) var orders: [OrderViewModel] = []
    private let ordersProvider: OrdersProvider

    init(ordersProvider: OrdersProvider) { self.ordersProvider = ordersProvider }

    func loadOrders() async throws {
        orders = try await ordersProvider.loadOrders().map(OrderViewModel.init)
    }
}

/// A framework's cell, which knows no view model.
@MainActor class Cell {
    final var text = ""
}

final class OrderCell: Cell, HasViewModel {
    let viewModelSlot = ViewModelSlot()

    func viewModelChanged(_ viewModel: OrderViewModel) {
        text = viewModel.name
    }
}

/// At the end of the list: how many there are.
final class SummaryCell: Cell, HasViewModel {
    let viewModelSlot = ViewModelSlot()

    func viewModelChanged(_ viewModel: Int) {
        text = "\(viewModel) orders"
    }
}

/// Shows a window of its rows, in cells that it uses again as it scrolls.
@MainActor final class CellList {
    private(set) var cells: [Cell] = []
    private var unused: [Cell] = []
    private(set) var madeCells = 0

    /// The list doesn't know the types of the view models: each cell takes the one that it can show.
    func show(_ rows: [Any], at window: Range<Int>) {
        unused += cells
        cells = window.clamped(to: rows.indices).map { row in
            let cell = dequeue(isLast: row == rows.count - 1)
            (cell as? any HasAnyViewModel)?.anyViewModel = rows[row]
            return cell
        }
    }

    private func dequeue(isLast: Bool) -> Cell {
        if let index = unused.firstIndex(where: { ($0 is SummaryCell) == isLast }) { return unused.remove(at: index) }
        madeCells += 1
        return isLast ? SummaryCell() : OrderCell()
    }
}

final class OrdersView: ViewModelOwner, HasViewModel {
    let list = CellList()
    private var rows: [Any] = []

    func viewModelChanged(_ viewModel: OrdersViewModel) {
        show(viewModel.orders)
    }

    /// As the article's second half has it: with no `HasViewModel`, by the property alone.
    func follow(_ viewModel: ObservedOrdersViewModel) async {
        await viewModel.$orders.subscribe(self) { this, orders in
            this.show(orders)
        }
    }

    func scroll(to row: Int) {
        list.show(rows, at: row..<row + 10)
    }

    private func show(_ orders: [OrderViewModel]) {
        rows = orders + [orders.count] as [Any]
        scroll(to: 0)
    }
}
