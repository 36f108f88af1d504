/// The set of descriptors that a loop waits for, level-triggered. Confined to the loop's thread, but for its creation.
protocol Poller: AnyObject {
    /// Changes what a descriptor is watched for; `token` comes back with each event.
    ///
    /// With an empty interest the descriptor is not watched at all, not even for hang-ups, which the kernel would
    /// report over and over while nobody wants to read. It must be empty before the descriptor is closed: an open file
    /// description that another process shares would go on reporting.
    func setInterest(
        _ interest: Interest, previous: Interest, descriptor: Int32, token: RegistrationToken
    ) throws(SystemError)

    /// Returns the descriptors that are ready, lent until the next wait.
    ///
    /// - Parameter milliseconds: the longest wait; 0 doesn't wait, a negative number waits without end.
    func wait(milliseconds: Int32) -> UnsafeBufferPointer<ReadyEvent>
}

/// The kernel interface by which a loop waits.
package enum PollerKind: String, CaseIterable, Sendable {
    /// The cost of a turn grows with the number of ready descriptors.
    case epoll
    /// POSIX; the cost of a turn grows with the number of all descriptors.
    case poll

    package static var `default`: PollerKind { .epoll }

    func makePoller() throws(SystemError) -> any Poller {
        switch self {
        case .epoll: try EpollPoller()
        case .poll: PollPoller()
        }
    }
}

/// The directions that a descriptor is watched for, or is ready for.
///
/// Errors and hang-ups have no member: they make the descriptor ready for its whole interest, and the next read or
/// write returns the error.
struct Interest: OptionSet {
    let rawValue: UInt8

    static let read = Interest(rawValue: 1)
    static let write = Interest(rawValue: 2)
}

/// A registration that was found ready. It may have been withdrawn since, in which case its token is unknown.
struct ReadyEvent {
    let token: RegistrationToken
    let readiness: Interest
}

/// The events of one wait, in memory that the next wait uses again: an array would be checked and counted in each turn.
struct ReadyList: ~Copyable {
    private var memory: UnsafeMutableBufferPointer<ReadyEvent>
    private var count = 0

    init(capacity: Int) {
        memory = .allocate(capacity: max(capacity, 1))
    }

    deinit {
        memory.deallocate()
    }

    /// Until the list changes.
    var lent: UnsafeBufferPointer<ReadyEvent> { UnsafeBufferPointer(rebasing: memory[..<count]) }

    mutating func removeAll() {
        count = 0
    }

    mutating func append(_ event: ReadyEvent) {
        if count == memory.count { grow() }
        memory.initializeElement(at: count, to: event)
        count &+= 1
    }

    private mutating func grow() {
        let larger = UnsafeMutableBufferPointer<ReadyEvent>.allocate(capacity: memory.count * 2)
        _ = larger.moveInitialize(fromContentsOf: memory)
        memory.deallocate()
        memory = larger
    }
}
