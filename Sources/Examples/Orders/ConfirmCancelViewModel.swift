public import ViewModels

/// Asks whether an order is really to be cancelled, and takes itself off the screen when the user has decided.
public actor ConfirmCancelViewModel: ViewModel, PerRequest, DurableViewModel {
    /// The user's actions.
    public enum ViewEvent: Codable, Sendable, Equatable {
        /// Cancels the order.
        case confirm
        /// Leaves the order as it is.
        case keep
    }

    /// The contents of the View.
    public enum ViewModelEvent: Codable, Sendable, Equatable {
        /// The question for the user.
        case question(String)
    }

    /// Sends the question.
    public let output = Output<ViewModelEvent>()
    private let order: Order
    private let cancelledOrders: CancelledOrders
    private let presenter: PresenterService

    /// Asks about an order.
    ///
    /// - Throws: the container's error, where it has no navigation.
    public init(container: Container, arguments order: Order) throws {
        self.order = order
        cancelledOrders = try container.resolve()
        presenter = try container.resolve()
    }

    /// Sends the question.
    public func start() {
        output.send(.question("Cancel \(order.name)?"))
    }

    /// Cancels the order where that was confirmed, and takes itself off the screen.
    public func handle(event: ViewEvent) {
        if event == .confirm { cancelledOrders.cancel(order) }
        presenter.dismiss()
    }
}
