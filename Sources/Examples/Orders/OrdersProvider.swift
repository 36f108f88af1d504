/// One order of the list.
public struct Order: Codable, Sendable, Equatable {
    /// Counts from 0.
    public var id: Int
    /// "Order #7".
    public var name: String

    /// An order.
    public init(id: Int, name: String) {
        self.id = id
        self.name = name
    }
}

/// The source of orders. The container has one, so that a test or another application can give its own.
public protocol OrdersProvider: Sendable {
    /// Loads orders, and stops early when the task is cancelled.
    ///
    /// - Parameter wish: the arguments that the list was opened with.
    /// - Throws: why they can't be loaded, or `CancellationError`.
    func loadOrders(_ wish: OrdersViewModel.Arguments) async throws -> [Order]
}

/// Makes up orders after a delay, as a slow service would.
public struct SampleOrdersProvider: OrdersProvider {
    /// The service doesn't answer.
    public struct Unreachable: Error, CustomStringConvertible {
        /// A sentence for the user.
        public let description = "the order service can't be reached"
    }

    private let clock: any Clock<Duration>

    /// - Parameter clock: measures the delay; a test gives its own.
    public init(clock: any Clock<Duration>) {
        self.clock = clock
    }

    /// Makes up at most 100,000 orders, and takes at most an hour for them.
    ///
    /// - Throws: `Unreachable` where the wish is to fail, `CancellationError`.
    public func loadOrders(_ wish: OrdersViewModel.Arguments) async throws -> [Order] {
        let seconds = wish.delay ?? 1
        try await clock.sleep(for: .seconds(seconds > 0 ? min(seconds, 3_600) : 0))
        if wish.fails == true { throw Unreachable() }
        let count = min(max(wish.count ?? 100, 0), 100_000)
        return (0..<count).map { Order(id: $0, name: "Order #\($0)") }
    }
}
