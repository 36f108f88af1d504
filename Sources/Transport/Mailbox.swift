import LibC
import Synchronization

/// What other threads leave for a loop, and the eventfd that wakes it for that.
///
/// Only the first to post into an empty mailbox wakes the loop; the loop takes all at once, and looks only when it was
/// woken, so that a turn without mail takes no lock. No wake is lost: mail in the box means that a write to the eventfd has
/// been made or is about to be.
final class Mailbox: Sendable {
    enum Mail: Sendable {
        case job(UnownedJob)
        case closure(@Sendable () -> Void)
        case stop
    }

    /// Never given out by the registration table, whose places are below.
    static let registration = RegistrationToken(place: .max, generation: .max)

    private struct State {
        var mail: [Mail] = []
        var hasStarted = false
        var isStopRequested = false
        var hasEnded = false
        var waiters: [@Sendable () -> Void] = []
    }

    private let state = Mutex(State())
    /// Threads that have left the lock and are about to wake the loop: the eventfd stays open until there are none.
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

    /// Any thread. After the end the mail is dropped.
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
            // Nobody will run what waits for a loop that was never started: who joins it must not wait either.
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

    /// Calls `body` once: when the loop has ended, or now if it has, or will never run.
    func whenEnded(_ body: @escaping @Sendable () -> Void) {
        let isOver = state.withLock { state in
            if state.hasEnded || (state.isStopRequested && !state.hasStarted) { return true }
            state.waiters.append(body)
            return false
        }
        if isOver { body() }
    }

    /// On the loop: swaps the mail with `emptied`, which keeps both arrays' memory in use.
    func take(into emptied: inout [Mail]) {
        var count: UInt64 = 0
        _ = read(descriptor, &count, MemoryLayout<UInt64>.size)
        var taken = emptied
        emptied = []
        state.withLock { swap(&$0.mail, &taken) }
        emptied = taken
    }

    /// On the loop, last: nothing is taken from here on. Returns who waits for the end.
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
        // Let go outside the lock: what closures hold may end here and post.
        withExtendedLifetime(dropped) {}
        return waiters
    }

    private func noteWaker(_ mustWake: Bool) -> Bool {
        if mustWake { wakers.wrappingAdd(1, ordering: .relaxed) }
        return mustWake
    }

    private func wake() {
        var one: UInt64 = 1
        _ = write(descriptor, &one, MemoryLayout<UInt64>.size)
        wakers.wrappingSubtract(1, ordering: .releasing)
    }

    private func closeDescriptor() {
        eventDescriptor.withLock { descriptor in
            if descriptor >= 0 { _ = close(descriptor) }
            descriptor = -1
        }
    }
}
