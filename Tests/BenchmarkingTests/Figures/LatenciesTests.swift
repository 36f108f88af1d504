import Testing

@testable import Benchmarking

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
