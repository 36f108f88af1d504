/// The descriptors that a loop waits for, level-triggered. Confined to the loop's thread, except for its creation.
protocol Poller: AnyObject {
    /// Sets what a descriptor is watched for; `token` comes back with each event.
    ///
    /// With an empty interest the descriptor isn't watched at all, not even for hang-ups, which the kernel would report over
    /// and over while nobody reads. The interest must be empty before the descriptor is closed: otherwise an open file
    /// description that another process shares would go on reporting.
    func setInterest(
        _ interest: Interest, previous: Interest, descriptor: Int32, token: RegistrationToken
    ) throws(SystemError)

    /// Waits, and returns the descriptors that are ready, borrowed until the next wait.
    ///
    /// - Parameter milliseconds: the longest wait; 0 returns at once, a negative number waits without limit.
    func wait(milliseconds: Int32) -> UnsafeBufferPointer<ReadyEvent>
}

/// The kernel interface by which a loop waits.
package enum PollerKind: String, CaseIterable, Sendable {
    /// `epoll(7)`. The cost of a turn grows with the number of ready descriptors.
    case epoll
    /// `poll(2)` of POSIX. The cost of a turn grows with the number of all descriptors.
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
/// Errors and hang-ups have no member: they make the descriptor ready for its whole interest, and the next read or write
/// returns the error.
struct Interest: OptionSet {
    let rawValue: UInt8

    static let read = Interest(rawValue: 1)
    static let write = Interest(rawValue: 2)
}

/// A registration that was found ready. Where it was withdrawn since, its token is unknown.
struct ReadyEvent {
    let token: RegistrationToken
    let readiness: Interest
}

/// The events of one wait, in memory that the next wait reuses. An array would be checked and reference-counted in every
/// turn.
struct ReadyList: ~Copyable {
    private var memory: UnsafeMutableBufferPointer<ReadyEvent>
    private var count = 0

    init(capacity: Int) {
        memory = .allocate(capacity: max(capacity, 1))
    }

    deinit {
        memory.deallocate()
    }

    /// The events, borrowed until the list changes.
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
