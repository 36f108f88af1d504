public import ViewModels

/// A list of orders from a slow service: loading with progress, failing, cancelling, and a choice that may be wrong.
public actor OrdersViewModel: ViewModel {
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
        /// Chose the order at this place of the list, from 0.
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
    private let provider: any OrdersProvider
    private var orders: [Order] = []

    /// A view model with an empty list.
    public init(provider: any OrdersProvider) {
        self.provider = provider
    }

    /// A view model whose orders are made up.
    ///
    /// - Parameter clock: measures the delay.
    public init(arguments: Arguments, clock: any Clock<Duration> = ContinuousClock()) {
        let count = min(arguments.count ?? 100, 100_000)
        let seconds = arguments.delay ?? 1
        let delay = Duration.seconds(seconds > 0 ? min(seconds, 3_600) : 0)
        let fails = arguments.fails ?? false
        self.init(provider: SampleOrdersProvider(count: count, delay: delay, fails: fails, clock: clock))
    }

    /// - Throws: `Failure` for a choice that isn't there, `CancellationError` when loading is cancelled.
    public func handle(event: ViewEvent) async throws {
        switch event {
        case .loadOrders: try await load()
        case .selectOrder(let index): try select(index)
        }
    }

    private func load() async throws {
        let progress = WorkDoneProgress.current
        progress?.begin(title: "Loading orders")
        output.send(.loading(true))
        defer { output.send(.loading(false)) }
        do {
            orders = try await provider.loadOrders()
            progress?.report(message: "\(orders.count) orders", percentage: 100)
            output.send(.orders(orders))
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            output.send(.failed(message: "\(error)"))
        }
    }

    private func select(_ index: Int) throws {
        guard orders.indices.contains(index) else { throw Failure.noOrder(index: index, count: orders.count) }
    }
}
