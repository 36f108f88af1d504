import Examples
import TestSupport
import Testing

@Suite(.inTurn) struct SampleOrdersProviderTests {
    private let clock = ManualClock()

    @Test(arguments: [(-1, 0), (Int.min, 0), (0, 0), (2, 2), (100_001, 100_000), (Int.max, 100_000), (nil, 100)])
    func `so many orders as are wished for come, as far as they can be made`(count: Int?, expected: Int) async throws {
        let orders = try await SampleOrdersProvider(clock: clock).loadOrders(.init(count: count, delay: 0))
        #expect(orders.count == expected)
        #expect(orders.first == (expected == 0 ? nil : Order(id: 0, name: "Order #0")))
        #expect(orders.last?.id == (expected == 0 ? nil : expected - 1))
    }

    @Test(arguments: [(nil, 1), (2.5, 2.5), (3_600, 3_600), (3_601, 3_600), (.infinity, 3_600), (1e300, 3_600)])
    func `they come after the delay`(delay: Double?, seconds: Double) async throws {
        let provider = SampleOrdersProvider(clock: clock)
        let loaded = Recorder<[Order]>()
        let task = Task { loaded.record(try await provider.loadOrders(.init(count: 1, delay: delay))) }
        await clock.sleepers(1)
        clock.advance(by: .seconds(seconds) - .milliseconds(1))
        #expect(loaded.elements.isEmpty)
        clock.advance(by: .milliseconds(1))
        try await task.value
        #expect(loaded.elements.count == 1)
    }

    @Test(arguments: [Double.nan, -1, -Double.infinity, 0, -Double.greatestFiniteMagnitude])
    func `a delay that is none is none`(delay: Double) async throws {
        #expect(try await SampleOrdersProvider(clock: clock).loadOrders(.init(count: 1, delay: delay)).count == 1)
    }

    @Test func `they stop coming when they are cancelled`() async {
        let task = Task { [clock] in try await SampleOrdersProvider(clock: clock).loadOrders(.init(count: 1)) }
        await clock.sleepers(1)
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test func `the service fails when it is asked to`() async {
        await #expect(throws: SampleOrdersProvider.Unreachable.self) {
            try await SampleOrdersProvider(clock: clock).loadOrders(.init(delay: 0, fails: true))
        }
    }
}
