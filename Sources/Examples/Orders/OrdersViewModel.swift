public import ViewModels

/// A list of orders from a slow service: loading with progress, failing, cancelling, and a choice that shows details on top.
public actor OrdersViewModel: ViewModel, PerRequest {
    /// What a session is opened with.
    public struct Arguments: Codable, Sendable {
        /// How many orders there are; 100 when it is left out, at most 100,000.
        public var count: Int?
        /// Seconds that loading takes; 1 when it is left out.
        public var delay: Double?
        /// Loading fails, so that one sees what a View does then; false when it is left out.
        public var fails: Bool?

        /// - Parameters:
        ///   - count: how many orders there are; 100 when it is nil.
        ///   - delay: seconds that loading takes; 1 when it is nil.
        ///   - fails: loading fails; false when it is nil.
        public init(count: Int? = nil, delay: Double? = nil, fails: Bool? = nil) {
            self.count = count
            self.delay = delay
            self.fails = fails
        }
    }

    /// What the user did.
    public enum ViewEvent: Codable, Sendable, Equatable {
        /// Loads the list, again if need be.
        case loadOrders
        /// Chose the order at this place of the list, from 0, to see its details.
        case selectOrder(index: Int)
    }

    /// What the View shows.
    public enum ViewModelEvent: Codable, Sendable, Equatable {
        /// Whether a list is on its way.
        case loading(Bool)
        /// The whole list.
        case orders([Order])
        /// The list could not be loaded, in words for the user.
        case failed(message: String)
        /// The order with this id was cancelled.
        case cancelled(id: Int)
    }

    /// What a request is answered with when it makes no sense.
    public enum Failure: Error, Equatable, CustomStringConvertible {
        /// No order stands at `index`.
        case noOrder(index: Int, count: Int)

        /// A sentence for whoever sent the event.
        public var description: String {
            switch self {
            case .noOrder(let index, let count):
                count == 0
                    ? "there is no order \(index): no orders are loaded"
                    : "there is no order \(index): the list goes from 0 to \(count - 1)"
            }
        }
    }

    /// Where the list leaves.
    public let output = Output<ViewModelEvent>()
    private let arguments: Arguments
    private let provider: any OrdersProvider
    private let cancelledOrders: CancelledOrders
    private let navigation: NavigationService
    private var orders: [Order] = []
    private var isLoading = false

    /// A view model with an empty list.
    public init(container: Container, arguments: Arguments) throws {
        self.arguments = arguments
        provider = try container.resolve()
        cancelledOrders = try container.resolve()
        navigation = try container.resolve()
    }

    /// Tells from now on what is cancelled.
    public func start() {
        // The output, and not this actor: what is cancelled is told at once, and not when the actor is free.
        cancelledOrders.cancelled.subscribe(output) { output, order in output.send(.cancelled(id: order.id)) }
    }

    /// The list as it is.
    public func snapshot() -> [ViewModelEvent] {
        let cancelled = orders.filter { cancelledOrders.contains($0) }.map { ViewModelEvent.cancelled(id: $0.id) }
        return [.loading(isLoading), .orders(orders)] + cancelled
    }

    /// - Throws: `Failure` for a choice that isn't there, `CancellationError` when loading is cancelled.
    public func handle(event: ViewEvent) async throws {
        switch event {
        case .loadOrders: try await load()
        case .selectOrder(let index): try showOrderDetails(forOrderIndex: index)
        }
    }

    private func load() async throws {
        let progress = WorkDoneProgress.current
        progress?.begin(title: "Loading orders")
        setLoading(true)
        defer { setLoading(false) }
        do {
            orders = try await provider.loadOrders(arguments)
            progress?.report(message: "\(orders.count) orders", percentage: 100)
            output.send(.orders(orders))
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

    private func showOrderDetails(forOrderIndex index: Int) throws {
        guard orders.indices.contains(index) else { throw Failure.noOrder(index: index, count: orders.count) }
        try navigation.push(OrderDetailsViewModel.self, arguments: orders[index])
    }
}
