import Benchmarking

extension Benchmark {
    /// The cost of a session when there are many.
    static func scale(_ most: Int) -> [Benchmark] {
        [
            growing(to: most), sharingOneConnection,
            Benchmark(
                "idle", "\(most / 2) idle connections with a session", descriptors: most / 2 + 100,
                [(.connectionMemory, .atMost(3)), (.peakMemory, nil)]
            ) { subject, _ in
                let crowd = try Crowd(subject)
                return try memory(crowd, connections: most / 2)
            },
            Benchmark(
                "connections", "\(most) connections with a session", descriptors: most + 100,
                [(.answered, .atLeast(Double(most))), (.connectionMemory, nil), (.peakMemory, nil)]
            ) { subject, _ in
                let crowd = try Crowd(subject)
                var sample = try memory(crowd, connections: most)
                sample[.answered] = Double(try crowd.sendOneEach())
                sample[.peakMemory] = Double(try crowd.child.peakMemory()) / 1_024
                try crowd.check()
                return sample
            },
        ]
    }

    private static func growing(to most: Int) -> Benchmark {
        let sizes = [10, 100, 1_000, 10_000].filter { $0 <= most }
        return Benchmark(
            "sessions", "sessions, a connection each, 10 in flight in all", descriptors: most + 100, growth(sizes)
        ) { subject, effort in
            let crowd = try Crowd(subject)
            var sample: Sample = [:]
            for size in sizes {
                try crowd.grow(to: size)
                // The first event of a session costs more than later ones.
                _ = try crowd.sendOneEach()
                var load = try crowd.load(inFlight: 10)
                sample[.processorTime(size)] = try Measurement(&load, of: crowd.child, effort).processorTimePerEvent
            }
            try crowd.check()
            return sample
        }
    }

    private static let sharingOneConnection = Benchmark(
        "sessions-stdio", "sessions on one connection, 10 in flight in all", growth(sizesOfOneConnection)
    ) { subject, effort in
        var sample: Sample = [:]
        for size in sizesOfOneConnection {
            sample[.processorTime(size)] = try sessionsOfOne(subject, effort, count: size)
        }
        return sample
    }

    private static let sizesOfOneConnection = [10, 1_000]

    /// Each is to cost as much as the first.
    private static func growth(_ sizes: [Int]) -> [(Quantity, Target?)] {
        sizes.map { (.processorTime($0), $0 == sizes[0] ? nil : .atMostOf(.processorTime(sizes[0]), 1.2)) }
    }

    private static func sessionsOfOne(_ subject: Subject, _ effort: Effort, count: Int) throws -> Double {
        let child = try subject.stdio()
        let connection = Connection(child)
        var dialogue = Dialogue(connection)
        _ = try dialogue.open(Counter.name)
        for _ in 1..<count { try dialogue.openAnother(Counter.name) }
        try dialogue.end()
        let requests = Counter.requests(Counter.increment, sessions: count)
        var load = PipelineLoad(connection, window: 10, requests: requests)
        let measurement = try Measurement(&load, of: child, effort)
        try Audit.check(connection)
        for session in 1...count {
            // Sessions took turns.
            let events = connection.sent / count + (session <= connection.sent % count ? 1 : 0)
            try Audit.check(subject, &dialogue, session: session, events: events)
        }
        return measurement.processorTimePerEvent
    }

    private static func memory(_ crowd: Crowd, connections count: Int) throws -> Sample {
        [
            .connectionMemory: try crowd.memoryOfEach(of: count),
            .peakMemory: Double(try crowd.child.peakMemory()) / 1_024,
        ]
    }
}

extension Quantity {
    /// Per event, with so many sessions.
    fileprivate static func processorTime(_ sessions: Int) -> Quantity {
        Quantity("CPU per event, \(sessions)", .microseconds)
    }
}
