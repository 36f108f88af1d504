import Examples
import TestSupport
import ViewModels

/// The container of one session, with a provider that the test chooses and a screen that only notes what is shown.
struct OrdersScene: Sendable {
    let container: Container
    let navigator = TestNavigator()

    init(_ provider: any OrdersProvider = ListProvider { 0 }) {
        container = Container(in: Container())
        container.register((any OrdersProvider).self) { _ in provider }
        container.register((any Navigator).self) { [navigator] _ in navigator }
    }

    func orders(_ arguments: OrdersViewModel.Arguments = .init()) throws -> Recorded<OrdersViewModel> {
        try Recorded(container.resolve(arguments: arguments))
    }

    func details(_ order: Order) throws -> Recorded<OrderDetailsViewModel> {
        try Recorded(container.resolve(arguments: order))
    }

    func confirmation(_ order: Order) throws -> Recorded<ConfirmCancelViewModel> {
        try Recorded(container.resolve(arguments: order))
    }

    static func orders(_ range: Range<Int>) -> [Order] {
        range.map { Order(id: $0, name: "Order #\($0)") }
    }
}

struct ListProvider: OrdersProvider {
    let count: @Sendable () async throws -> Int

    init(_ count: @escaping @Sendable () async throws -> Int) {
        self.count = count
    }

    func countOrders(_ wish: OrdersViewModel.Arguments) async throws -> Int { try await count() }

    func orders(in range: Range<Int>) -> [Order] { OrdersScene.orders(range) }
}

/// Notes what view models want shown, as "push OrderDetailsViewModel Order(…)", "pop", ….
final class TestNavigator: Navigator {
    let steps = Recorder<String>()

    func show<Model: PerRequest & AnyObject>(
        _ type: Model.Type, arguments: Model.Arguments, by transition: Transition
    ) throws {
        let name = (arguments as? Order)?.name ?? "nothing"
        steps.record("\(transition) \(type) with \(name)")
    }

    func takeOff(_ transition: Transition) {
        steps.record(transition == .push ? "pop" : "dismiss")
    }
}
