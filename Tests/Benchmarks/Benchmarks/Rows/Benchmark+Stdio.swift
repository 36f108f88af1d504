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
        var load = PipelineLoad(connection, window: window, requests: Counter.requests(event))
        var measurement = try Measurement(&load, of: child, effort)
        try Audit.check(connection)
        try Audit.check(subject, &dialogue, events: connection.sent)
        return measurement.sample
    }
}

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

extension Benchmark {
    /// How long a client waits for a session that the process before had. How many others are stored is to make no
    /// difference.
    static func storeStart(_ most: Int) -> [Benchmark] {
        [1, most].map { count in
            Benchmark(
                "store-start-\(count)", "start-up to the first attach, of \(count) stored sessions",
                loadsLibraries: true, [(.start, .atMost(20)), (.startPeak, nil), (.storedBytes, nil)]
            ) { subject, effort in
                guard subject.side == .server else { return [:] }
                return try starts(subject, effort, stored: count)
            }
        }
    }

    private static func starts(_ subject: Subject, _ effort: Effort, stored count: Int) throws -> Sample {
        let store = try BenchmarkStore(survivesPowerLoss: false)
        let key = try fill(store, subject, count: count)
        var times: [Double] = []
        var peak = 0
        for _ in 0..<effort.starts {
            let start = Clock.now()
            let child = try subject.stdio(store: store)
            var dialogue = Dialogue(Connection(child))
            try dialogue.attach(key)
            times.append(Double(Clock.now() - start) / 1e6)
            peak = max(peak, try child.peakMemory())
            try child.end()
        }
        return [
            .start: times.median ?? 0, .startPeak: Double(peak) / 1_024,
            .storedBytes: Double(try store.byteCount()) / Double(count),
        ]
    }

    /// Returns the first session's key.
    private static func fill(_ store: BenchmarkStore, _ subject: Subject, count: Int) throws -> String? {
        let limits = ["sessions", "addressSessions", "hostedSessions"].flatMap { ["--limit", "\($0)=\(count + 1)"] }
        let child = try subject.run(by: [], options: limits).stdio(store: store)
        var dialogue = Dialogue(Connection(child))
        let key = try dialogue.open(Counter.name)
        for first in stride(from: 1, to: count, by: 500) {
            try dialogue.openOthers(Counter.name, count: min(500, count - first))
        }
        try child.end()
        return key
    }
}

extension Quantity {
    fileprivate static let storedBytes = Quantity("stored for each", .bytes)
    fileprivate static let start = Quantity("p50", .milliseconds)
    fileprivate static let startPeak = Quantity("peak memory", .mebibytes)
}

extension Benchmark {
    /// Events of 10 MB, one at a time over stdio.
    static let large = [
        Benchmark(
            "large-in", "View's events of 10 MB, one at a time", [(.throughput, nil), (.peakMemory, nil)]
        ) { subject, effort in
            let child = try subject.stdio()
            let connection = Connection(child)
            var dialogue = Dialogue(connection)
            _ = try dialogue.open(Counter.name)
            // An unknown member is read and ignored.
            let event = #"{"kind":"increment","by":1,"text":"\#(text)"}"#
            var load = PipelineLoad(connection, window: 1, requests: Counter.requests(event))
            var measurement = try Measurement(&load, of: child, effort)
            try Audit.check(connection)
            try Audit.check(subject, &dialogue, events: connection.sent)
            return measurement.largeSample
        },
        Benchmark(
            "large-out", "view model's events of 10 MB, one at a time", [(.throughput, nil), (.peakMemory, nil)]
        ) { subject, effort in
            let child = try subject.stdio(.text(bytes: bytes))
            let connection = Connection(child)
            var dialogue = Dialogue(connection)
            _ = try dialogue.open("todos")
            _ = try dialogue.event(#"{"kind":"add","title":"\#(text)"}"#)
            try dialogue.end()
            // Each sends the whole list.
            let toggle = #"{"kind":"toggle","id":1}"#
            var load = PipelineLoad(connection, window: 1, requests: Counter.requests(toggle))
            var measurement = try Measurement(&load, of: child, effort)
            try Audit.check(connection)
            try Audit.check(subject, &dialogue, event: #"{"kind":"removeDone"}"#, events: connection.sent + 1)
            return measurement.largeSample
        },
    ]

    private static let bytes = 10_000_000
    private static let text = String(repeating: "x", count: bytes)
}

extension Measurement {
    fileprivate var largeSample: Benchmark.Sample {
        mutating get {
            var sample = sample
            sample[.throughput] = sample[.events].map { $0 * 10 }
            return sample
        }
    }
}

extension Quantity {
    fileprivate static let throughput = Quantity("throughput", .megabytesPerSecond)
}
