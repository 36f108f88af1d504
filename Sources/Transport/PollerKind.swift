/// By which kernel interface a loop waits.
package enum PollerKind: String, CaseIterable, Sendable {
    /// Cost of a turn: by the number of ready descriptors.
    case epoll
    /// POSIX; cost of a turn: by the number of all descriptors.
    case poll

    package static var `default`: PollerKind { .epoll }

    func makePoller() throws(SystemError) -> any Poller {
        switch self {
        case .epoll: try EpollPoller()
        case .poll: PollPoller()
        }
    }
}
