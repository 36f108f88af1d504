import Synchronization

/// Work that a loop does once, later. Made by `EventLoop.schedule`; nothing needs to hold it for it to fire.
package final class LoopTimer: Sendable {
    let deadline: MonotonicTime
    /// Orders timers of one deadline.
    private let number: UInt64
    private let loop: EventLoop
    /// Gone once it fired or was cancelled, whichever came first.
    private let work: Mutex<(@Sendable () -> Void)?>

    // The heap's, which is confined to the loop: no other thread reads or writes it.
    nonisolated(unsafe) var position = -1

    private static let count = Atomic<UInt64>(0)

    init(deadline: MonotonicTime, loop: EventLoop, work: @escaping @Sendable () -> Void) {
        self.deadline = deadline
        self.loop = loop
        self.work = Mutex(work)
        number = Self.count.wrappingAdd(1, ordering: .relaxed).newValue
    }

    /// Any thread, any number of times. When it returns on the loop, the work won't run any more; from another thread it may
    /// be running just now. What the work holds is let go.
    package func cancel() {
        guard takeWork() != nil else { return }
        if loop.isCurrent {
            loop.core.timers.remove(self)
        } else {
            loop.execute { self.loop.core.timers.remove(self) }
        }
    }

    func takeWork() -> (@Sendable () -> Void)? {
        work.withLock { work in
            defer { work = nil }
            return work
        }
    }

    func isBefore(_ other: LoopTimer) -> Bool {
        (deadline.nanoseconds, number) < (other.deadline.nanoseconds, other.number)
    }
}
