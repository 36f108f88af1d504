import Examples
import TestSupport
import Testing
import ViewModels

@Suite(.inTurn) struct OrderDetailsViewModelTests {
    private let scene = OrdersScene()
    private let order = Order(id: 7, name: "Order #7")

    private let fresh: [OrderDetailsViewModel.ViewModelEvent] = [
        .title("Details of Order #7"), .cancelled(false), .note("", isSaved: true),
    ]

    @Test func `it shows its order`() async throws {
        let details = try scene.details(order)
        await details.model.start()
        #expect(details.events.elements == fresh)
        #expect(await details.model.snapshot() == fresh)
    }

    @Test func `cancelling asks first`() async throws {
        let details = try scene.details(order)
        try await details.model.handle(event: .cancelOrder)
        #expect(scene.navigator.steps.elements == ["present ConfirmCancelViewModel with Order #7"])
        #expect(details.events.elements.isEmpty)
    }

    @Test func `only its own order's cancellation is told`() async throws {
        let details = try scene.details(order)
        await details.model.start()
        let cancelled: CancelledOrders = try scene.container.resolve()
        cancelled.cancel(Order(id: 8, name: "Order #8"))
        #expect(details.events.elements == fresh)
        cancelled.cancel(order)
        #expect(details.events.elements == fresh + [.cancelled(true)])
        #expect(await details.model.snapshot()[1] == .cancelled(true))
    }

    @Test func `it is left by itself when the user has seen enough`() async throws {
        try await scene.details(order).model.handle(event: .done)
        #expect(scene.navigator.steps.elements == ["pop"])
    }

    @Test func `it isn't left with a note that isn't saved`() async throws {
        let details = try scene.details(order).model
        try await details.willGoBack()
        try await details.handle(event: .editNote("call them"))
        await #expect(throws: OrderDetailsViewModel.UnsavedNote.self) { try await details.willGoBack() }
        try await details.handle(event: .saveNote)
        try await details.willGoBack()
        try await details.handle(event: .editNote("call them"))
        try await details.willGoBack()
    }
}
