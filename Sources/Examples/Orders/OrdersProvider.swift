/// One order of the list.
public struct Order: Codable, Sendable, Equatable, Identifiable {
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
    /// Asks how many orders there are, and stops early when the task is cancelled.
    ///
    /// - Parameter wish: the arguments that the list was opened with.
    /// - Throws: why they can't be loaded, or `CancellationError`.
    func countOrders(_ wish: OrdersViewModel.Arguments) async throws -> Int

    /// The orders at these places, from 0, of which there are as many as were counted.
    ///
    /// - Throws: why they can't be loaded, or `CancellationError`.
    func orders(in range: Range<Int>) async throws -> [Order]
}

/// Makes up orders. Counting them takes a while, as with a slow service.
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

    /// Finds at most 1,000,000 orders, and takes at most an hour for them.
    ///
    /// - Throws: `Unreachable` where the wish is to fail, `CancellationError`.
    public func countOrders(_ wish: OrdersViewModel.Arguments) async throws -> Int {
        let seconds = wish.delay ?? 1
        try await clock.sleep(for: .seconds(seconds > 0 ? min(seconds, 3_600) : 0))
        if wish.fails == true { throw Unreachable() }
        return min(max(wish.count ?? 100, 0), 1_000_000)
    }

    /// Makes up these orders at once.
    public func orders(in range: Range<Int>) -> [Order] {
        range.map { Order(id: $0, name: "Order #\($0)") }
    }
}
