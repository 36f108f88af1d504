import Benchmarking

extension Benchmark {
    /// One client over a WebSocket, as a web page has it. The limit has none: the target is three times what Node's `ws`, with
    /// JSON read and written, did on a machine like the one that the targets were set on (31,500 events a second).
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
