/// Many views of one session. The first sends an event, and the next one when all have got it.
package struct FanOutLoad: Load, ~Copyable {
    private let connections: [Connection]
    private var requests: RequestRing
    private let notifications: Int
    private let poller: Poller
    private let buffer = ReadBuffer()

    /// - Parameters:
    ///   - requests: made for a window of 1.
    ///   - notifications: how many each view gets for a request.
    package init(_ connections: [Connection], requests: consuming RequestRing, notifications: Int = 1) throws {
        self.connections = connections
        self.requests = requests
        self.notifications = notifications
        poller = try Poller(connections)
    }

    /// Sends for that long, and waits until all views have got the last event.
    package mutating func run(seconds: Double) throws -> LoadResult {
        var result = LoadResult()
        let start = Clock.now()
        let end = start + Int(seconds * 1e9)
        var now = start
        while now < end {
            let sent = Clock.now()
            try connections[0].send(requests.next())
            var (told, answered) = (0, false)
            while told < connections.count * notifications || !answered {
                for index in try poller.wait() {
                    let before = connections[index].counter.notifications
                    if try connections[index].receive(into: buffer) > 0 { answered = true }
                    told += connections[index].counter.notifications - before
                }
            }
            now = Clock.now()
            result.events += 1
            result.latencies.add(now - sent)
        }
        result.nanoseconds = now - start
        return result
    }
}
