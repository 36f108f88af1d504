import Examples
import TestSupport
import Testing
import TranscriptTesting
import ViewModels

@Suite(.inTurn) struct RecordingNavigatorTests {
    private let container = Container()
    private let navigator: RecordingNavigator

    init() {
        navigator = RecordingNavigator(in: container)
        container.register((any OrdersProvider).self) { try SampleOrdersProvider(clock: $0.resolve()) }
    }

    @Test func `a view model that pushes is tested alone`() async throws {
        let orders: OrdersViewModel = try container.resolve(arguments: .init(count: 3, delay: 0))
        try await orders.handle(event: .loadOrders)
        try await orders.handle(event: .selectOrder(index: 1))
        try await orders.handle(event: .selectOrder(index: 2))
        #expect(navigator.steps == [.push(OrderDetailsViewModel.self), .push(OrderDetailsViewModel.self)])
        #expect(navigator.arguments(of: OrderDetailsViewModel.self).map(\.id) == [1, 2])
        #expect(navigator.arguments(of: ConfirmCancelViewModel.self).isEmpty)
        #expect(navigator.steps.map(\.description).first == ".push(OrderDetailsViewModel.self)")
    }

    @Test func `presents, pops and dismisses are recorded in their order`() throws {
        let presenter: PresenterService = try container.resolve()
        let navigation: NavigationService = try container.resolve()
        try presenter.present(ConfirmCancelViewModel.self, arguments: Order(id: 7, name: "Order #7"))
        presenter.dismiss()
        navigation.pop()
        #expect(navigator.steps == [.present(ConfirmCancelViewModel.self), .dismiss, .pop])
        #expect(navigator.steps != [.push(ConfirmCancelViewModel.self), .dismiss, .pop])
    }

    @Test func `a refusal is thrown to the view model, and isn't recorded`() async throws {
        let orders: OrdersViewModel = try container.resolve(arguments: .init(count: 1, delay: 0))
        try await orders.handle(event: .loadOrders)
        navigator.refuse(with: NavigationError.tooMany(1))
        await #expect(throws: NavigationError.tooMany(1)) { try await orders.handle(event: .selectOrder(index: 0)) }
        navigator.refuse(with: nil)
        try await orders.handle(event: .selectOrder(index: 0))
        #expect(navigator.steps == [.push(OrderDetailsViewModel.self)])
    }
}
