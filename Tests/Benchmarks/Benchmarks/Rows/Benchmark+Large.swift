import Benchmarking

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
            // What an event doesn't know is read and left alone.
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
            // Each tells the whole list.
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
