import CLinux
import Glibc

/// Many connections that have their turn one after another, so many requests in flight in all. With as many as there
/// are connections, each always has one.
package struct RoundLoad: Load, ~Copyable {
    private let connections: [Connection]
    private let inFlight: Int
    private var requests: RequestRing
    private let poller: Poller
    private let buffer = ReadBuffer()
    private var sendTimes: [Int]

    /// - Parameter inFlight: at most as many as there are connections, and a part of them without rest.
    package init(_ connections: [Connection], inFlight: Int, requests: consuming RequestRing) throws {
        precondition(inFlight <= connections.count && connections.count % inFlight == 0)
        self.connections = connections
        self.inFlight = inFlight
        self.requests = requests
        poller = try Poller(connections)
        sendTimes = Array(repeating: 0, count: connections.count)
    }

    /// Sends for that long, and waits for the last answers.
    package mutating func run(seconds: Double) throws -> LoadResult {
        var result = LoadResult()
        result.latencies.reserve(Int(seconds * 400_000))
        let start = Clock.now()
        let end = start + Int(seconds * 1e9)
        for index in 0..<inFlight { try send(on: index) }
        var (now, waiting) = (start, inFlight)
        while waiting > 0 {
            for index in try poller.wait() {
                let answers = try connections[index].receive(into: buffer)
                guard answers > 0 else { continue }
                now = Clock.now()
                result.events += answers
                result.latencies.add(now - sendTimes[index])
                waiting -= answers
                guard now < end else { continue }
                let next = index + inFlight
                try send(on: next < connections.count ? next : next - connections.count)
                waiting += 1
            }
        }
        result.nanoseconds = now - start
        return result
    }

    private mutating func send(on index: Int) throws {
        sendTimes[index] = Clock.now()
        try connections[index].send(requests.next())
    }
}

/// Tells which of many connections have something to read.
final class Poller {
    private static let eventsPerWait = 512
    private let descriptor: Descriptor
    private let events = UnsafeMutableBufferPointer<epoll_event>.allocate(capacity: eventsPerWait)

    init(_ connections: [Connection]) throws {
        descriptor = Descriptor(try check(epoll_create1(Int32(EPOLL_CLOEXEC)), "epoll_create1"))
        for (index, connection) in connections.enumerated() {
            var event = epoll_event()
            event.events = EPOLLIN.rawValue
            event.data.u64 = UInt64(index)
            try check(epoll_ctl(descriptor.number, EPOLL_CTL_ADD, connection.input.number, &event), "epoll_ctl")
        }
    }

    deinit {
        events.deallocate()
    }

    /// Waits for at least one, and gives their places among the connections.
    func wait() throws -> some Sequence<Int> {
        let capacity = Int32(events.count)
        let count = try check(epoll_wait(descriptor.number, events.baseAddress, capacity, -1), "waiting for answers")
        return events[..<Int(count)].lazy.map { Int($0.data.u64) }
    }
}
