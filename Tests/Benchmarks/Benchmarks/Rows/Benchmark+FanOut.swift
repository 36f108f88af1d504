import Benchmarking

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
