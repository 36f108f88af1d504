import LibC

/// A poller with `epoll(7)`.
final class EpollPoller: Poller {
    /// The most events that are taken in one call; more wait in the kernel for the next turn, in order. They are few, as each
    /// may be a stream that takes a large piece, and the loop's work comes only after them all.
    private static let eventsPerWait = 64

    private let descriptor: Descriptor
    private let events: UnsafeMutableBufferPointer<epoll_event>
    /// The descriptors that are always ready: regular files and /dev/null, which epoll refuses (EPERM) as they never block.
    @exclusivity(unchecked) private var alwaysReady: [ReadyEvent] = []
    @exclusivity(unchecked) private var ready = ReadyList(capacity: eventsPerWait)

    init() throws(SystemError) {
        descriptor = try Descriptor(epoll_create1(Int32(EPOLL_CLOEXEC)), "epoll_create1")
        events = .allocate(capacity: Self.eventsPerWait)
    }

    deinit {
        events.deallocate()
    }

    func setInterest(
        _ interest: Interest, previous: Interest, descriptor watched: Int32, token: RegistrationToken
    ) throws(SystemError) {
        if !alwaysReady.isEmpty, let index = alwaysReady.firstIndex(where: { $0.token == token }) {
            alwaysReady.remove(at: index)
            if !interest.isEmpty { alwaysReady.append(ReadyEvent(token: token, readiness: interest)) }
            return
        }
        let operation = previous.isEmpty ? EPOLL_CTL_ADD : interest.isEmpty ? EPOLL_CTL_DEL : EPOLL_CTL_MOD
        var event = epoll_event()
        event.events = interest.epollEvents
        event.data.u64 = token.rawValue
        guard epoll_ctl(descriptor.number, operation, watched, &event) != 0 else { return }
        let error = SystemError.last("epoll_ctl", "descriptor \(watched)")
        guard error.code == EPERM, operation == EPOLL_CTL_ADD else { throw error }
        alwaysReady.append(ReadyEvent(token: token, readiness: interest))
    }

    func wait(milliseconds: Int32) -> UnsafeBufferPointer<ReadyEvent> {
        ready.removeAll()
        for event in alwaysReady { ready.append(event) }
        let timeout = alwaysReady.isEmpty ? milliseconds : 0
        // EINTR makes a turn without events: the loop reads its clock and waits again.
        let count = Int(epoll_wait(descriptor.number, events.baseAddress, Int32(events.count), timeout))
        for index in 0..<max(count, 0) {
            let token = RegistrationToken(rawValue: events[index].data.u64)
            ready.append(ReadyEvent(token: token, readiness: Interest(epollEvents: events[index].events)))
        }
        return ready.lent
    }
}

extension Interest {
    fileprivate var epollEvents: UInt32 {
        var events: UInt32 = 0
        if contains(.read) { events |= EPOLLIN.rawValue }
        if contains(.write) { events |= EPOLLOUT.rawValue }
        return events
    }

    fileprivate init(epollEvents events: UInt32) {
        self = []
        let either = EPOLLERR.rawValue | EPOLLHUP.rawValue
        if events & (EPOLLIN.rawValue | either) != 0 { insert(.read) }
        if events & (EPOLLOUT.rawValue | either) != 0 { insert(.write) }
    }
}
