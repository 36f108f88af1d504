import Examples
import TestSupport
import Testing

@Suite struct OrdersProviderTests {
    @Test(arguments: [(-1, 0), (0, 0), (2, 2)])
    func `sample orders come after the delay`(count: Int, expected: Int) async throws {
        let clock = ManualClock()
        let provider = SampleOrdersProvider(count: count, delay: .seconds(2), clock: clock)
        async let orders = provider.loadOrders()
        await clock.sleepers(1)
        clock.advance(by: .seconds(2))
        #expect(try await orders.map(\.name) == (0..<expected).map { "Order #\($0)" })
    }

    @Test func `sample orders stop coming when they are cancelled`() async {
        let clock = ManualClock()
        let task = Task { try await SampleOrdersProvider(count: 1, delay: .seconds(2), clock: clock).loadOrders() }
        await clock.sleepers(1)
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }
}
