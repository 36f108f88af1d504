import Examples
import TestSupport
import Testing

@Suite(.inTurn) struct SampleOrdersProviderTests {
    private let clock = ManualClock()

    @Test(arguments: [(-1, 0), (Int.min, 0), (0, 0), (2, 2), (1_000_001, 1_000_000), (Int.max, 1_000_000), (nil, 100)])
    func `so many orders as are wished for come, as far as they can be made`(count: Int?, expected: Int) async throws {
        #expect(try await SampleOrdersProvider(clock: clock).countOrders(.init(count: count, delay: 0)) == expected)
    }

    @Test func `an order has its place in its name`() {
        let provider = SampleOrdersProvider(clock: clock)
        #expect(provider.orders(in: 7..<9) == [Order(id: 7, name: "Order #7"), Order(id: 8, name: "Order #8")])
        #expect(provider.orders(in: 7..<7).isEmpty)
    }

    @Test(arguments: [(nil, 1), (2.5, 2.5), (3_600, 3_600), (3_601, 3_600), (.infinity, 3_600), (1e300, 3_600)])
    func `they come after the delay`(delay: Double?, seconds: Double) async throws {
        let provider = SampleOrdersProvider(clock: clock)
        let loaded = Recorder<Int>()
        let task = Task { loaded.record(try await provider.countOrders(.init(count: 1, delay: delay))) }
        await clock.sleepers(1)
        clock.advance(by: .seconds(seconds) - .milliseconds(1))
        #expect(loaded.elements.isEmpty)
        clock.advance(by: .milliseconds(1))
        try await task.value
        #expect(loaded.elements == [1])
    }

    @Test(arguments: [Double.nan, -1, -Double.infinity, 0, -Double.greatestFiniteMagnitude])
    func `a delay that is none is none`(delay: Double) async throws {
        #expect(try await SampleOrdersProvider(clock: clock).countOrders(.init(count: 1, delay: delay)) == 1)
    }

    @Test func `they stop coming when they are cancelled`() async {
        let task = Task { [clock] in try await SampleOrdersProvider(clock: clock).countOrders(.init(count: 1)) }
        await clock.sleepers(1)
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test func `the service fails when it is asked to`() async {
        await #expect(throws: SampleOrdersProvider.Unreachable.self) {
            try await SampleOrdersProvider(clock: clock).countOrders(.init(delay: 0, fails: true))
        }
    }
}
