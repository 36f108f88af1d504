/// One connection with so many requests in flight: whenever answers come, as many more requests go out in one write.
package struct PipelineLoad: Load, ~Copyable {
    private let connection: Connection
    private let window: Int
    private var requests: RequestRing
    private let buffer = ReadBuffer()

    /// - Parameter requests: made for at least this window.
    package init(_ connection: Connection, window: Int, requests: consuming RequestRing) {
        self.connection = connection
        self.window = window
        self.requests = requests
    }

    /// Sends for that long, and waits for the last answer.
    package mutating func run(seconds: Double) throws -> LoadResult {
        var result = LoadResult()
        if window == 1 { result.latencies.reserve(Int(seconds * 400_000)) }
        let start = Clock.now()
        let end = start + Int(seconds * 1e9)
        var (last, inFlight) = (start, 0)
        repeat {
            if last < end {
                try connection.send(requests.next(window - inFlight), count: window - inFlight)
                inFlight = window
            }
            let answers = try connection.receive(into: buffer)
            inFlight -= answers
            result.events += answers
            let now = Clock.now()
            if window == 1 && answers == 1 {
                result.latencies.add(now - last)
                last = now
            } else if window > 1 {
                last = now
            }
        } while inFlight > 0 || last < end
        result.nanoseconds = last - start
        return result
    }
}
