import Testing

@testable import Benchmarking

@Suite struct TargetTests {
    @Test(
        arguments: [
            (Target.atMostOfLimit(1.5), 15, 10, true, "≤ 1.5 × limit"),
            (.atMostOfLimit(4), 40.1, 10, false, "≤ 4 × limit"),
            (.atMostOfLimit(4), 40, nil, nil, "≤ 4 × limit"),
            (.atLeastOfLimit(0.6), 6, 10, true, "≥ 0.6 × limit"),
            (.atLeastOfLimit(0.6), 5.9, 10, false, "≥ 0.6 × limit"),
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
