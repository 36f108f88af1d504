import Examples
import Sessions
import Testing

@Suite struct ExamplesTests {
    @Test func `every example has its name`() {
        var registry = Registry()
        Examples.register(in: &registry)
        #expect(
            registry.names == [
                "confirmCancel", "counter", "hello", "orderDetails", "orders", "stopwatch", "todos",
            ])
    }
}
