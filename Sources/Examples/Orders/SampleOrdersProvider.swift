/// Makes up orders after a delay, as a slow service would.
public struct SampleOrdersProvider: OrdersProvider {
    /// The service doesn't answer.
    public struct Unreachable: Error, CustomStringConvertible {
        /// A sentence for the user.
        public let description = "the order service can't be reached"
    }

    private let clock: any Clock<Duration>

    /// - Parameter clock: measures the delay; a test gives its own and doesn't wait.
    public init(clock: any Clock<Duration>) {
        self.clock = clock
    }

    /// Makes up at most 100,000 orders, and takes an hour for them at most.
    ///
    /// - Throws: `Unreachable`, `CancellationError`.
    public func loadOrders(_ wish: OrdersViewModel.Arguments) async throws -> [Order] {
        let seconds = wish.delay ?? 1
        try await clock.sleep(for: .seconds(seconds > 0 ? min(seconds, 3_600) : 0))
        if wish.fails == true { throw Unreachable() }
        let count = min(max(wish.count ?? 100, 0), 100_000)
        return (0..<count).map { Order(id: $0, name: "Order #\($0)") }
    }
}
