import Benchmarking

extension Benchmark {
    /// Many clients over TCP, a session each.
    static let tcp = [
        Benchmark(
            "tcp-64", "TCP, 64 connections × 1 in flight",
            [(.events, .atLeastOfLimit(0.6)), (.p50, nil), (.p99, nil), (.processorTime, nil)]
        ) { subject, effort in
            try connections(subject, effort, count: 64, inFlight: 64)
        },
        Benchmark(
            "tcp-1000", "TCP, 1000 connections × 1 in flight", descriptors: 1_100,
            [
                (.events, .atLeastOfLimit(0.6)), (.p99, .atMostOfLimit(2)), (.p50, nil), (.processorTime, nil),
                (.peakMemory, nil),
            ]
        ) { subject, effort in
            try connections(subject, effort, count: 1_000, inFlight: 1_000)
        },
    ]

    static func connections(_ subject: Subject, _ effort: Effort, count: Int, inFlight: Int) throws -> Sample {
        let (child, port) = try subject.tcp()
        let connections = try (0..<count).map { _ in
            let connection = try Connection(port: port)
            var dialogue = Dialogue(connection)
            _ = try dialogue.open(Counter.name)
            try dialogue.end()
            return connection
        }
        var load = try RoundLoad(connections, inFlight: inFlight, requests: Counter.requests(Counter.increment))
        var measurement = try Measurement(&load, of: child, effort)
        for connection in connections {
            try Audit.check(connection)
            var dialogue = Dialogue(connection)
            try Audit.check(subject, &dialogue, events: connection.sent)
        }
        return measurement.sample
    }
}
