import Benchmarking

extension Benchmark {
    /// Many clients over TCP, a session each.
    static let tcp = [
        Benchmark(
            "tcp-64", "TCP, 64 connections × 1 in flight",
            [(.events, .atLeastOfLimit(0.6)), (.p50, nil), (.p99, nil), (.processorTime, nil), (.peakMemory, nil)]
        ) { subject, effort in
            try oneInFlight(subject, effort, connections: 64)
        },
        Benchmark(
            "tcp-1000", "TCP, 1000 connections × 1 in flight", descriptors: 1_100,
            [
                (.events, .atLeastOfLimit(0.6)), (.p99, .atMostOfLimit(2)), (.p50, nil), (.processorTime, nil),
                (.peakMemory, nil),
            ]
        ) { subject, effort in
            try oneInFlight(subject, effort, connections: 1_000)
        },
    ]

    private static func oneInFlight(_ subject: Subject, _ effort: Effort, connections count: Int) throws -> Sample {
        let crowd = try Crowd(subject)
        try crowd.grow(to: count)
        var load = try crowd.load(inFlight: count)
        var measurement = try Measurement(&load, of: crowd.child, effort)
        try crowd.check()
        return measurement.sample
    }
}
