import Benchmarking

/// A load that a program was put under, and what it cost.
struct Measurement {
    private var result = LoadResult()
    private var processorTime = 0
    private var peakMemory = 0

    /// Warms the program up first, so that its start isn't measured.
    init<L: Load & ~Copyable>(_ load: inout L, of child: Child, _ effort: Effort) throws {
        _ = try load.run(seconds: effort.warmUp)
        let before = try child.processorTime()
        result = try load.run(seconds: effort.seconds)
        processorTime = try child.processorTime() - before
        peakMemory = try child.peakMemory()
    }

    var events: Int { result.events }
    /// In microseconds, of all its threads.
    var processorTimePerEvent: Double { Double(processorTime) / 1_000 / Double(max(1, events)) }

    /// All that is known of any load.
    var sample: Benchmark.Sample {
        mutating get {
            var sample: Benchmark.Sample = [
                .events: Double(events) / result.seconds, .processorTime: processorTimePerEvent,
                .peakMemory: Double(peakMemory) / 1_024,
            ]
            sample[.p50] = result.latencies.percentile(0.5)
            sample[.p99] = result.latencies.percentile(0.99)
            return sample
        }
    }
}
