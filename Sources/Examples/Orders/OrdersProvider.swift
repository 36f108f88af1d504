/// Where orders come from. Injected, so that a test or another application has its own.
public protocol OrdersProvider: Sendable {
    /// Takes as long as it takes; stops early when the task is cancelled.
    func loadOrders() async throws -> [Order]
}

/// Makes up orders after a delay, as a slow service would.
public struct SampleOrdersProvider: OrdersProvider {
    private let count: Int
    private let delay: Duration
    private let clock: any Clock<Duration>

    /// - Parameters:
    ///   - count: how many orders there are; none when it is negative.
    ///   - clock: measures the delay; a test gives its own and doesn't wait.
    public init(count: Int, delay: Duration, clock: any Clock<Duration> = ContinuousClock()) {
        self.count = max(count, 0)
        self.delay = delay
        self.clock = clock
    }

    /// - Throws: `CancellationError`.
    public func loadOrders() async throws -> [Order] {
        try await clock.sleep(for: delay)
        return (0..<count).map { Order(id: $0, name: "Order #\($0)") }
    }
}
