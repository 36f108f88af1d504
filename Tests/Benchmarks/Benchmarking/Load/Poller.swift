import CLinux
import Glibc

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
