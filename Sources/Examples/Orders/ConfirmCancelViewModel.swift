public import ViewModels

/// Asks whether an order shall really be cancelled, and takes itself off the screen when that is decided.
public actor ConfirmCancelViewModel: ViewModel, PerRequest {
    /// What the user did.
    public enum ViewEvent: Codable, Sendable, Equatable {
        /// Cancel it.
        case confirm
        /// Leave it as it is.
        case keep
    }

    /// What the View shows.
    public enum ViewModelEvent: Codable, Sendable, Equatable {
        /// What the user is asked.
        case question(String)
    }

    /// Where the question leaves.
    public let output = Output<ViewModelEvent>()
    private let order: Order
    private let cancelledOrders: CancelledOrders
    private let presenter: PresenterService

    /// Asks about the order in its arguments.
    public init(container: Container, arguments order: Order) throws {
        self.order = order
        cancelledOrders = try container.resolve()
        presenter = try container.resolve()
    }

    /// Asks.
    public func start() {
        output.send(.question("Cancel \(order.name)?"))
    }

    /// Does what was decided, and goes.
    public func handle(event: ViewEvent) {
        if event == .confirm { cancelledOrders.cancel(order) }
        presenter.dismiss()
    }
}
