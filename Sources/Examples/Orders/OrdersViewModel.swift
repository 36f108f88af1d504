public import ViewModels

// Lesson 5: an application of three view models.
//
// `OrdersViewModel` shows a list from a service that it takes from the container. Loading takes a while: it reports
// progress, can be cancelled, and can fail. Then the list is as long as the service says, and a View asks for the orders
// that it shows: a million are there as soon as a hundred. A chosen order is pushed onto the stack as an
// `OrderDetailsViewModel`, which presents a `ConfirmCancelViewModel` over itself before an order is cancelled. None of the
// three knows a View, or where it is shown: they ask the `NavigationService` and the `PresenterService`. They share
// `CancelledOrders`, a singleton of their session. A client may open the details of an order as well, as a link from
// elsewhere does. Nobody but the details can ask for the confirmation.
//
// All of it is durable: what is on screen comes back in the next process, with the unsaved note and the order that was
// about to be cancelled.

/// A list of orders from a slow service.
public actor OrdersViewModel: ViewModel, PerRequest, DurableViewModel {
    /// The arguments that a session is opened with.
    public struct Arguments: Codable, Sendable {
        /// How many orders there are, at most 1,000,000; 100 when it is left out.
        public var count: Int?
        /// Seconds that loading takes, at most 3,600; 1 when it is left out.
        public var delay: Double?
        /// Whether loading fails, to try what a View does then; false when it is left out.
        public var fails: Bool?

        /// A wish for orders.
        ///
        /// - Parameters:
        ///   - count: how many orders there are; 100 when it is nil.
        ///   - delay: seconds that loading takes; 1 when it is nil.
        ///   - fails: whether loading fails; false when it is nil.
        public init(count: Int? = nil, delay: Double? = nil, fails: Bool? = nil) {
            self.count = count
            self.delay = delay
            self.fails = fails
        }
    }

    /// The user's actions.
    public enum ViewEvent: Codable, Sendable, Equatable {
        /// Loads the list, again if need be.
        case loadOrders
        /// Chooses the order at this place of the list, from 0, to see its details.
        case selectOrder(index: Int)
    }

    /// The contents of the View, beside the list.
    public enum ViewModelEvent: Codable, Sendable, Equatable {
        /// Whether the list is being loaded.
        case loading(Bool)
        /// The list could not be loaded, with a sentence for the user.
        case failed(message: String)
        /// The order with this id was cancelled.
        case cancelled(id: Int)
    }

    /// The answer to an event that makes no sense.
    public enum Failure: Error, Equatable, CustomStringConvertible {
        /// The list has no order at `index`.
        case noOrder(index: Int, count: Int)

        /// A sentence for the user.
        public var description: String {
            switch self {
            case .noOrder(let index, let count):
                count == 0
                    ? "there is no order \(index): no orders are loaded"
                    : "there is no order \(index): the list goes from 0 to \(count - 1)"
            }
        }
    }

    /// Sends how loading goes, and what was cancelled.
    public let output = Output<ViewModelEvent>()
    /// The orders, once they are loaded. Their number is saved with the session, and they are the service's.
    public let orders: Rows<Order>
    private let arguments: Arguments
    private let provider: any OrdersProvider
    private let cancelledOrders: CancelledOrders
    private let navigation: NavigationService
    private var isLoading = false

    /// A view model with an empty list.
    ///
    /// - Throws: `InvalidArgument` for a count or a delay that can't be; the container's error, where it has no
    ///   `OrdersProvider` or no navigation.
    public init(container: Container, arguments: Arguments) throws {
        if let count = arguments.count, !(0...1_000_000).contains(count) {
            throw InvalidArgument("count", "\(count) is not between 0 and 1000000")
        }
        if let delay = arguments.delay, !(0...3_600).contains(delay) {
            throw InvalidArgument("delay", "\(delay) is not between 0 and 3600 seconds")
        }
        self.arguments = arguments
        let provider: any OrdersProvider = try container.resolve()
        self.provider = provider
        orders = Rows(count: 0) { range in try await provider.orders(in: range) }
        cancelledOrders = try container.resolve()
        navigation = try container.resolve()
    }

    /// Sends from now on which orders are cancelled.
    public func start() {
        // The output subscribes, and not this actor, so that a cancellation is sent at once, and not when the actor
        // is free.
        cancelledOrders.cancelled.subscribe(output) { output, order in output.send(.cancelled(id: order.id)) }
    }

    /// Sends from now on which orders are cancelled, in a later life too.
    public func resume() {
        start()
    }

    /// Everything that the View shows beside the list, which has a snapshot of its own.
    public func snapshot() -> [ViewModelEvent] {
        [.loading(isLoading)] + cancelledOrders.all.map { .cancelled(id: $0) }
    }

    /// Loads the list, or shows an order's details.
    ///
    /// - Throws: `Failure` for a choice that isn't there, `NavigationError` where its details can't be shown, the provider's
    ///   error where the order can't be loaded, `CancellationError` when loading is cancelled.
    public func handle(event: ViewEvent) async throws {
        switch event {
        case .loadOrders: try await load()
        case .selectOrder(let index): try await showOrderDetails(forOrderIndex: index)
        }
    }

    private func load() async throws {
        let progress = WorkDoneProgress.current
        progress?.begin(title: "Loading orders")
        setLoading(true)
        defer { setLoading(false) }
        do {
            let count = try await provider.countOrders(arguments)
            progress?.report(message: "\(count) orders", percentage: 100)
            orders.reload(count: count)
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            output.send(.failed(message: "\(error)"))
        }
    }

    private func setLoading(_ isLoading: Bool) {
        self.isLoading = isLoading
        output.send(.loading(isLoading))
    }

    private func showOrderDetails(forOrderIndex index: Int) async throws {
        guard (0..<orders.count).contains(index), let order = try await orders.rows(in: index..<index + 1).first else {
            throw Failure.noOrder(index: index, count: orders.count)
        }
        try navigation.push(OrderDetailsViewModel.self, arguments: order)
    }
}
