import LibC
import Queues
import Synchronization

/// Work that other threads leave for a loop, and the eventfd that wakes the loop for it.
///
/// Only the thread that posts into an empty mailbox wakes the loop. The loop takes all mail at once, and only after a wake,
/// so a turn without mail takes no lock. No wake is lost: mail in the box means that a write to the eventfd was made or is
/// about to be made.
final class Mailbox: Sendable {
    enum Mail: Sendable {
        case job(UnownedJob, from: (any JobSource)?)
        case closure(@Sendable () -> Void)
        case stop
    }

    /// The token of the eventfd. It never equals a token of the registration table, whose places are lower.
    static let registration = RegistrationToken(place: .max, generation: .max)

    private struct State {
        var mail: [Mail] = []
        var hasStarted = false
        var isStopRequested = false
        var hasEnded = false
        var waiters: [@Sendable () -> Void] = []
    }

    private let state = Mutex(State())
    /// The number of threads that have left the lock and are about to wake the loop. The eventfd stays open until there are
    /// none.
    private let wakers = Atomic<Int>(0)
    private let eventDescriptor: Mutex<Int32>
    let descriptor: Int32

    init() throws(SystemError) {
        let eventDescriptor = try Descriptor(eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK)), "eventfd")
        descriptor = eventDescriptor.number
        self.eventDescriptor = Mutex(eventDescriptor.release())
    }

    deinit {
        closeDescriptor()
    }

    /// Posts mail. Any thread may call this. After the loop's end the mail is dropped.
    func post(_ mail: Mail) {
        let mustWake = state.withLock { state in
            guard !state.hasEnded else { return false }
            state.mail.append(mail)
            return noteWaker(state.mail.count == 1)
        }
        if mustWake { wake() }
    }

    func requestStop() {
        let (mustWake, waiters) = state.withLock { state -> (Bool, [@Sendable () -> Void]) in
            guard !state.isStopRequested else { return (false, []) }
            state.isStopRequested = true
            state.mail.append(.stop)
            // A loop that was never started never ends: threads that join it must not wait.
            let waiters = state.hasStarted ? [] : state.waiters
            if !state.hasStarted { state.waiters = [] }
            return (noteWaker(state.mail.count == 1), waiters)
        }
        if mustWake { wake() }
        for waiter in waiters { waiter() }
    }

    func willStart() {
        state.withLock { state in
            precondition(!state.hasStarted, "An event loop is started once")
            state.hasStarted = true
        }
    }

    func preconditionNotStarted() {
        state.withLock { precondition(!$0.hasStarted, "An event loop is prepared before it is started") }
    }

    /// Calls `body` once: when the loop has ended, or now if it has ended or will never run.
    func whenEnded(_ body: @escaping @Sendable () -> Void) {
        let isOver = state.withLock { state in
            if state.hasEnded || (state.isStopRequested && !state.hasStarted) { return true }
            state.waiters.append(body)
            return false
        }
        if isOver { body() }
    }

    /// Swaps the mail with `emptied`, so that the memory of both arrays stays in use. Called on the loop.
    func take(into emptied: inout [Mail]) {
        var count: UInt64 = 0
        _ = read(descriptor, &count, MemoryLayout<UInt64>.size)
        var taken = emptied
        emptied = []
        state.withLock { swap(&$0.mail, &taken) }
        emptied = taken
    }

    /// Ends the mailbox. This is the loop's last call: no mail is taken from here on.
    ///
    /// - Returns: the callbacks of `whenEnded`.
    func end() -> [@Sendable () -> Void] {
        let (waiters, dropped) = state.withLock { state -> ([@Sendable () -> Void], [Mail]) in
            state.hasEnded = true
            defer {
                state.waiters = []
                state.mail = []
            }
            return (state.waiters, state.mail)
        }
        while wakers.load(ordering: .acquiring) != 0 { sched_yield() }
        closeDescriptor()
        // Released outside the lock, as an object that a closure retained may end here and post.
        withExtendedLifetime(dropped) {}
        return waiters
    }

    private func noteWaker(_ mustWake: Bool) -> Bool {
        if mustWake { wakers.wrappingAdd(1, ordering: .relaxed) }
        return mustWake
    }

    private func wake() {
        var one: UInt64 = 1
        // Apart from EINTR, the write fails only where the counter is full, and then the loop wakes anyway.
        while write(descriptor, &one, MemoryLayout<UInt64>.size) < 0, errno == EINTR {}
        wakers.wrappingSubtract(1, ordering: .releasing)
    }

    private func closeDescriptor() {
        eventDescriptor.withLock { descriptor in
            if descriptor >= 0 { _ = close(descriptor) }
            descriptor = -1
        }
    }
}
