import Testing

@testable import Benchmarking

@Suite struct MedianTests {
    @Test(
        arguments: [
            ([], nil), ([3], 3), ([3, 1], 2), ([9, 1, 2], 2), ([4, 1, 100, 2], 3),
        ] as [([Double], Double?)])
    func `half are above and half below`(_ figures: [Double], _ median: Double?) {
        #expect(figures.median == median)
    }
}
