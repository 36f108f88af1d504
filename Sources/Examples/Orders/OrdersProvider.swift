/// Where orders come from. Injected, so that a test or another application has its own.
public protocol OrdersProvider: Sendable {
    /// Takes as long as it takes; stops early when the task is cancelled.
    func loadOrders() async throws -> [Order]
}

/// Makes up orders after a delay, as a slow service would.
public struct SampleOrdersProvider: OrdersProvider {
    /// The service doesn't answer.
    public struct Unreachable: Error, CustomStringConvertible {
        /// A sentence for the user.
        public let description = "the order service can't be reached"
    }

    private let count: Int
    private let delay: Duration
    private let fails: Bool
    private let clock: any Clock<Duration>

    /// - Parameters:
    ///   - count: how many orders there are; none when it is negative.
    ///   - fails: there are none to be had, and an error says so after the delay.
    ///   - clock: measures the delay; a test gives its own and doesn't wait.
    public init(count: Int, delay: Duration, fails: Bool = false, clock: any Clock<Duration> = ContinuousClock()) {
        self.count = max(count, 0)
        self.delay = delay
        self.fails = fails
        self.clock = clock
    }

    /// - Throws: `Unreachable`, `CancellationError`.
    public func loadOrders() async throws -> [Order] {
        try await clock.sleep(for: delay)
        if fails { throw Unreachable() }
        return (0..<count).map { Order(id: $0, name: "Order #\($0)") }
    }
}
