import Testing

@testable import Benchmarking

@Suite struct QuantityTests {
    @Test(arguments: [
        (Quantity.events, 346_021.4, "346,021/s"),
        (.events, 12, "12/s"),
        (.processorTime, 0.8549, "0.85 µs"),
        (.processorTime, 9.999, "10.00 µs"),
        (.processorTime, 26.06, "26.1 µs"),
        (.processorTime, 1_650, "1.65 ms"),
        (Quantity("time", .nanoseconds), 1_049, "1.05 µs"),
        (.answered, 10_000, "10,000"),
        (.connectionMemory, 0.049, "0.05 KiB"),
        (.connectionMemory, -0.5, "-0.50 KiB"),
        (.peakMemory, 1_234.56, "1,234.6 MiB"),
    ])
    func `a figure is written as short as it says something`(_ quantity: Quantity, _ figure: Double, _ text: String) {
        #expect(quantity.text(figure) == text)
    }
}
