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

    /// As above, with sessions that are stored. The limit makes one commit of all that came at once.
    static let store = [
        Benchmark(
            "store-process-64", "TCP, 64 connections × 1 in flight, --sync process", loadsLibraries: true, storeLines
        ) { subject, effort in
            try oneInFlight(subject, effort, connections: 64, BenchmarkStore(survivesPowerLoss: false))
        },
        Benchmark(
            "store-process-1000", "TCP, 1000 connections × 1 in flight, --sync process", descriptors: 1_100,
            loadsLibraries: true, storeLines
        ) { subject, effort in
            try oneInFlight(subject, effort, connections: 1_000, BenchmarkStore(survivesPowerLoss: false))
        },
        Benchmark(
            "store-power-64", "TCP, 64 connections × 1 in flight, --sync power", loadsLibraries: true, storeLines
        ) { subject, effort in
            try oneInFlight(subject, effort, connections: 64, BenchmarkStore(survivesPowerLoss: true))
        },
        Benchmark(
            "store-power-1000", "TCP, 1000 connections × 1 in flight, --sync power", descriptors: 1_100,
            loadsLibraries: true, storeLines
        ) { subject, effort in
            try oneInFlight(subject, effort, connections: 1_000, BenchmarkStore(survivesPowerLoss: true))
        },
    ]

    private static let storeLines: [(Quantity, Target?)] =
        [(.events, .atLeastOfLimit(0.6)), (.p50, nil), (.p99, nil), (.processorTime, nil), (.peakMemory, nil)]

    private static func oneInFlight(
        _ subject: Subject, _ effort: Effort, connections count: Int, _ store: BenchmarkStore? = nil
    ) throws -> Sample {
        let crowd = try Crowd(subject, store: store)
        try crowd.grow(to: count)
        var load = try crowd.load(inFlight: count)
        var measurement = try Measurement(&load, of: crowd.child, effort)
        try crowd.check()
        return measurement.sample
    }
}

extension Benchmark {
    /// One client over a WebSocket, as a web page has it. The limit has none: the target is three times what Node's
    /// `ws`, with JSON read and written, did on a machine like the one that the targets were set on (31,500 events a
    /// second).
    static let webSocket = Benchmark(
        "websocket-64", "WebSocket, 64 in flight",
        [(.events, .atLeast(94_500)), (.processorTime, nil), (.peakMemory, nil)]
    ) { subject, effort in
        guard subject.side == .server else { return [:] }
        let (child, port) = try subject.tcp()
        let connection = try Connection(port: port, framing: .webSocket)
        var dialogue = Dialogue(connection)
        _ = try dialogue.open(Counter.name)
        try dialogue.end()
        let requests = Counter.requests(Counter.increment, framing: .webSocket)
        var load = PipelineLoad(connection, window: 64, requests: requests)
        var measurement = try Measurement(&load, of: child, effort)
        try Audit.check(connection)
        try Audit.check(subject, &dialogue, events: connection.sent)
        return measurement.sample
    }
}

extension Benchmark {
    /// One session with many views.
    static let fanOut = Benchmark(
        "fan-out", "one event to 1000 views of one session", descriptors: 1_100,
        [(.viewTime, .atMostOfLimit(2)), (.deliveries, nil), (.p50, nil), (.peakMemory, nil)]
    ) { subject, effort in
        let (child, port) = try subject.tcp(fansOut: true)
        let first = try Connection(port: port)
        var dialogue = Dialogue(first)
        let key = try dialogue.open(Counter.name)
        try dialogue.end()
        let others = try (1..<views).map { _ in
            let connection = try Connection(port: port)
            var dialogue = Dialogue(connection)
            try dialogue.attach(key)
            try dialogue.end()
            return connection
        }
        var load = try FanOutLoad([first] + others, requests: Counter.requests(Counter.increment))
        var measurement = try Measurement(&load, of: child, effort)
        for connection in others { try Audit.check(connection, answers: 0, notifications: first.sent) }
        try Audit.check(first)
        try Audit.check(subject, &dialogue, events: first.sent)
        var sample = measurement.sample
        sample[.viewTime] = measurement.processorTimePerEvent / Double(views)
        sample[.deliveries] = sample[.events].map { $0 * Double(views) }
        return sample
    }

    private static let views = 1_000
}

extension Quantity {
    fileprivate static let viewTime = Quantity("CPU per view", .microseconds)
    fileprivate static let deliveries = Quantity("notifications", .perSecond)
}
