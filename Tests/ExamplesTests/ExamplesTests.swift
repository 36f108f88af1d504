import Examples
import Sessions
import TestSupport
import Testing
import ViewModels

@Suite(.inTurn) struct ExamplesTests {
    @Test func `every example has its name`() {
        var registry = Registry()
        Examples.register(in: &registry)
        let opened = [
            "board", "boardScreen", "counter", "finder", "hello", "numbers", "orderDetails", "orders", "stopwatch",
            "todos",
        ]
        #expect(registry.names == opened)
        #expect(registry.allNames == (opened + ["boardCard", "confirmCancel", "finderPreview"]).sorted())
    }

    @Test func `time is that of the registry's clock`() async throws {
        let clock = ManualClock()
        var registry = Registry(clock: clock)
        Examples.register(in: &registry)
        let stopwatch: StopwatchViewModel = try registry.container.resolve()
        await stopwatch.handle(event: .start)
        await clock.sleepers(1)
        let provider: any OrdersProvider = try registry.container.resolve()
        let loading = Task { try await provider.countOrders(.init(count: 1)) }
        await clock.sleepers(2)
        clock.advance(by: .seconds(1))
        #expect(try await loading.value == 1)
        await stopwatch.handle(event: .stop)
        #expect(await stopwatch.elapsedMilliseconds == 1_000)
    }
}
