import Benchmarking

extension Benchmark {
    /// How long a client waits that starts a server of its own.
    static let start = Benchmark(
        "start", "start-up to the first answer, over stdio", [(.start, .atMost(3)), (.startPeak, nil)]
    ) { subject, effort in
        var times: [Double] = []
        var peak = 0
        for _ in 0..<effort.starts {
            let start = Clock.now()
            let child = try subject.stdio()
            var dialogue = Dialogue(Connection(child))
            try dialogue.initialize()
            times.append(Double(Clock.now() - start) / 1e6)
            peak = max(peak, try child.peakMemory())
        }
        return [.start: times.median ?? 0, .startPeak: Double(peak) / 1_024]
    }
}

extension Quantity {
    fileprivate static let start = Quantity("p50", .milliseconds)
    fileprivate static let startPeak = Quantity("peak memory", .mebibytes)
}
