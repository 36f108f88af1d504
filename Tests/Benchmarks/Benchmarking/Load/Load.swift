import Glibc

/// One connection with so many requests in flight: whenever answers come, as many more requests go out, each in a write
/// of its own, as from a client that sends each when it has something to say.
package struct PipelineLoad: Load, ~Copyable {
    private let connection: Connection
    private let window: Int
    private var requests: RequestRing
    private let buffer = ReadBuffer()

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
                for _ in inFlight..<window { try connection.send(requests.next()) }
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

/// Something to do for the program that is measured.
package protocol Load: ~Copyable {
    /// Sends for that long, and waits until all that was asked for is done.
    mutating func run(seconds: Double) throws -> LoadResult
}

/// The result of a load.
package struct LoadResult {
    /// Requests, each of which was answered.
    package var events = 0
    package var nanoseconds = 0
    /// The latency of each request, where a connection had only one in flight.
    package var latencies = Latencies()

    package init() {}

    package var seconds: Double { Double(nanoseconds) / 1e9 }
}

/// The machine's clocks, in nanoseconds from no particular moment.
package enum Clock {
    @inline(__always)
    package static func now() -> Int { read(CLOCK_MONOTONIC) }

    /// Goes on only while this thread is at work.
    package static func threadTime() -> Int { read(CLOCK_THREAD_CPUTIME_ID) }

    @inline(__always)
    private static func read(_ clock: clockid_t) -> Int {
        var time = timespec()
        clock_gettime(clock, &time)
        return time.tv_sec &* 1_000_000_000 &+ time.tv_nsec
    }
}
