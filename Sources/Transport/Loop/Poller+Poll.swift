import LibC

/// A poller with `poll(2)`, for systems without epoll.
final class PollPoller: Poller {
    /// The kernel's array, and in `tokens` the token of each of its entries.
    private var entries: [pollfd] = []
    private var tokens: [RegistrationToken] = []
    private var positions: [RegistrationToken: Int] = [:]
    private var ready = ReadyList(capacity: 16)

    func setInterest(
        _ interest: Interest, previous: Interest, descriptor: Int32, token: RegistrationToken
    ) throws(SystemError) {
        if let position = positions[token] {
            if interest.isEmpty {
                remove(at: position)
            } else {
                entries[position].events = interest.pollEvents
            }
        } else if !interest.isEmpty {
            positions[token] = entries.count
            entries.append(pollfd(fd: descriptor, events: interest.pollEvents, revents: 0))
            tokens.append(token)
        }
    }

    /// Removes an entry. The last entry takes its place.
    private func remove(at position: Int) {
        positions[tokens[position]] = nil
        let lastEntry = entries.removeLast()
        let lastToken = tokens.removeLast()
        guard position < entries.count else { return }
        entries[position] = lastEntry
        tokens[position] = lastToken
        positions[lastToken] = position
    }

    func wait(milliseconds: Int32) -> UnsafeBufferPointer<ReadyEvent> {
        ready.removeAll()
        var left = entries.withUnsafeMutableBufferPointer { entries in
            LibC.poll(entries.baseAddress, nfds_t(entries.count), milliseconds)
        }
        for position in entries.indices where left > 0 {
            let events = entries[position].revents
            guard events != 0 else { continue }
            left -= 1
            ready.append(ReadyEvent(token: tokens[position], readiness: Interest(pollEvents: events)))
        }
        return ready.lent
    }
}

extension Interest {
    fileprivate var pollEvents: Int16 {
        var events: Int32 = 0
        if contains(.read) { events |= POLLIN }
        if contains(.write) { events |= POLLOUT }
        return Int16(truncatingIfNeeded: events)
    }

    fileprivate init(pollEvents: Int16) {
        self = []
        let events = Int32(pollEvents)
        let either = POLLERR | POLLHUP | POLLNVAL
        if events & (POLLIN | either) != 0 { insert(.read) }
        if events & (POLLOUT | either) != 0 { insert(.write) }
    }
}
