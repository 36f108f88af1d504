import Examples
import TestSupport
import Testing
import ViewModels

@Suite(.inTurn) struct ConfirmCancelViewModelTests {
    private let order = Order(id: 7, name: "Order #7")

    @Test(arguments: [(ConfirmCancelViewModel.ViewEvent.confirm, true), (.keep, false)])
    func `it asks, does what was decided, and goes`(
        _ decision: ConfirmCancelViewModel.ViewEvent, isCancelled: Bool
    ) async throws {
        let scene = OrdersScene()
        let question = try scene.confirmation(order)
        await question.model.start()
        #expect(question.events.elements == [.question("Cancel Order #7?")])
        #expect(scene.navigator.steps.elements.isEmpty)
        await question.model.handle(event: decision)
        #expect(scene.navigator.steps.elements == ["dismiss"])
        #expect(try scene.container.resolve(CancelledOrders.self).contains(order) == isCancelled)
    }
}
