import Benchmarking

extension Benchmark {
    /// One client over standard input and output, as an editor has it.
    static let stdio = [
        Benchmark(
            "stdio-1", "stdio, 1 in flight, both on one core",
            [(.p50, .atMostOfLimit(1.5)), (.p99, nil), (.processorTime, nil)]
        ) { subject, effort in
            try Core.withOne { try pipeline(subject, effort, window: 1) }
        },
        Benchmark(
            "stdio-64", "stdio, 64 in flight",
            [(.processorTime, .atMostOfLimit(4)), (.events, .atLeastOfLimit(0.6)), (.peakMemory, nil)]
        ) { subject, effort in
            try pipeline(subject, effort, window: 64)
        },
        Benchmark(
            "stdio-64-one-core", "stdio, 64 in flight, both on one core", [(.processorTime, nil), (.events, nil)]
        ) { subject, effort in
            try Core.withOne { try pipeline(subject, effort, window: 64) }
        },
        Benchmark(
            "stdio-rows", "stdio, events of 100 rows, 64 in flight",
            [(.events, .atLeastOfLimit(0.5)), (.processorTime, nil), (.peakMemory, nil)]
        ) { subject, effort in
            try pipeline(subject, effort, window: 64, event: Counter.load, answer: .rows)
        },
    ]

    private static func pipeline(
        _ subject: Subject, _ effort: Effort, window: Int, event: String = Counter.increment,
        answer: Subject.Answer = .small
    ) throws -> Sample {
        let child = try subject.stdio(answer)
        let connection = Connection(child)
        var dialogue = Dialogue(connection)
        _ = try dialogue.open(Counter.name)
        try dialogue.end()
        var load = PipelineLoad(connection, window: window, requests: Counter.requests(event, window: window))
        var measurement = try Measurement(&load, of: child, effort)
        try Audit.check(connection)
        try Audit.check(subject, &dialogue, events: connection.sent)
        return measurement.sample
    }
}
