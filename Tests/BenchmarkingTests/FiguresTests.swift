import Testing

import Benchmarking

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
        (Quantity("memory", .bytes), 171.31, "171.3 bytes"),
    ])
    func `a figure is written as short as it says something`(_ quantity: Quantity, _ figure: Double, _ text: String) {
        #expect(quantity.text(figure) == text)
    }
}

@Suite struct LatenciesTests {
    @Test func `a percentile is the shortest that so many are no longer than`() {
        var latencies = Latencies()
        for microseconds in (1...200).shuffled() { latencies.add(microseconds * 1_000) }
        #expect(latencies.percentile(0.5) == 100)
        #expect(latencies.percentile(0.99) == 198)
        #expect(latencies.percentile(1) == 200)
        #expect(latencies.percentile(0) == 1)
        latencies.add(500)
        #expect(latencies.percentile(0) == 0.5)
    }

    @Test func `none has none`() {
        var latencies = Latencies()
        #expect(latencies.percentile(0.5) == nil)
    }
}

@Suite struct MedianTests {
    @Test(
        arguments: [
            ([], nil), ([3], 3), ([3, 1], 2), ([9, 1, 2], 2), ([4, 1, 100, 2], 3),
        ] as [([Double], Double?)])
    func `half are above and half below`(_ figures: [Double], _ median: Double?) {
        #expect(figures.median == median)
    }
}

@Suite struct TargetTests {
    @Test(
        arguments: [
            (Target.atMostOfLimit(1.5), 15, 10, true, "≤ 1.5 × limit"),
            (.atMostOfLimit(4), 40.1, 10, false, "≤ 4 × limit"),
            (.atMostOfLimit(4), 40, nil, nil, "≤ 4 × limit"),
            (.atLeastOfLimit(0.6), 6, 10, true, "≥ 0.6 × limit"),
            (.atLeastOfLimit(0.6), 5.9, 10, false, "≥ 0.6 × limit"),
            (.atMostOfReference("array", 1.2), 12, 10, true, "≤ 1.2 × array"),
            (.atMostOfReference("array", 1.2), 12.1, 10, false, "≤ 1.2 × array"),
            (.atMostOfReference("fzf", 1), 12, nil, nil, "≤ 1 × fzf"),
            (.atMost(3), 3, nil, true, "≤ 3.00 µs"),
            (.atMost(3), 3.1, nil, false, "≤ 3.00 µs"),
            (.atLeast(3), 2.9, nil, false, "≥ 3.00 µs"),
            (.atMostOf(.p50, 1.2), 12, nil, true, "≤ 1.2 × p50"),
            (.atMostOf(.p50, 1.2), 12.1, nil, false, "≤ 1.2 × p50"),
            (.atMostOf(.p99, 1.2), 12, nil, nil, "≤ 1.2 × p99"),
        ] as [(Target, Double, Double?, Bool?, String)])
    func `a target is met, missed, or can't be told`(
        _ target: Target, _ figure: Double, _ limit: Double?, _ isMet: Bool?, _ text: String
    ) {
        #expect(target.isMet(figure, limit: limit) { $0 == .p50 ? 10 : nil } == isMet)
        #expect(target.text(.processorTime) == text)
    }
}
