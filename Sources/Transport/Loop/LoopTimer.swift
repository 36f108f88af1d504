import Synchronization

/// Work that a loop runs once, later. Made by `EventLoop.schedule`; it fires whether or not the caller keeps it.
package final class LoopTimer: Sendable {
    let deadline: MonotonicTime
    /// Orders timers of one deadline.
    private let number: UInt64
    private let loop: EventLoop
    /// Nil once it has fired or was cancelled, whichever came first.
    private let work: Mutex<(@Sendable () -> Void)?>

    // Read and written by the heap alone, which is confined to the loop.
    nonisolated(unsafe) var position = -1

    private static let count = Atomic<UInt64>(0)

    init(deadline: MonotonicTime, loop: EventLoop, work: @escaping @Sendable () -> Void) {
        self.deadline = deadline
        self.loop = loop
        self.work = Mutex(work)
        number = Self.count.wrappingAdd(1, ordering: .relaxed).newValue
    }

    /// Releases the work, which won't run any more. Any thread; again is fine.
    ///
    /// Called off the loop, it may return while the work is running.
    package func cancel() {
        guard takeWork() != nil else { return }
        if loop.ifCurrent({ loop.core.timers.remove(self) }) == nil {
            loop.execute { self.loop.core.timers.remove(self) }
        }
    }

    func takeWork() -> (@Sendable () -> Void)? {
        work.withLock { work in
            defer { work = nil }
            return work
        }
    }

    /// Whether it is still to fire.
    var isSet: Bool { work.withLock { $0 != nil } }

    func isBefore(_ other: LoopTimer) -> Bool {
        (deadline.nanoseconds, number) < (other.deadline.nanoseconds, other.number)
    }
}

/// Timers by deadline, those of one deadline in the order they were set. Confined to the loop.
///
/// A binary heap whose timers know their place, so that a cancelled one leaves at once.
struct TimerHeap {
    private var timers: [LoopTimer] = []

    var isEmpty: Bool { timers.isEmpty }

    /// Rounded up, so that no timer fires early; negative when there is none.
    func millisecondsToNext(from now: MonotonicTime) -> Int32 {
        guard let first = timers.first else { return -1 }
        guard first.deadline > now else { return 0 }
        return Duration.nanoseconds(first.deadline.nanoseconds - now.nanoseconds).clampedMilliseconds
    }

    /// Ignores a timer that was cancelled on its way here.
    mutating func insert(_ timer: LoopTimer) {
        guard timer.isSet else { return }
        timers.append(timer)
        timer.position = timers.count - 1
        moveUp(timers.count - 1)
    }

    /// Ignores a timer that isn't here.
    mutating func remove(_ timer: LoopTimer) {
        let position = timer.position
        guard timers.indices.contains(position), timers[position] === timer else { return }
        exchange(position, timers.count - 1)
        timers.removeLast()
        timer.position = -1
        guard position < timers.count else { return }
        moveUp(position)
        moveDown(position)
    }

    mutating func removeAll(dueAt now: MonotonicTime) -> [LoopTimer] {
        var due: [LoopTimer] = []
        while let first = timers.first, first.deadline <= now {
            remove(first)
            due.append(first)
        }
        return due
    }

    private mutating func moveUp(_ start: Int) {
        var child = start
        while child > 0 {
            let parent = (child - 1) / 2
            guard timers[child].isBefore(timers[parent]) else { return }
            exchange(child, parent)
            child = parent
        }
    }

    private mutating func moveDown(_ start: Int) {
        var parent = start
        while true {
            var first = parent
            for child in [2 * parent + 1, 2 * parent + 2] where child < timers.count {
                if timers[child].isBefore(timers[first]) { first = child }
            }
            guard first != parent else { return }
            exchange(parent, first)
            parent = first
        }
    }

    private mutating func exchange(_ left: Int, _ right: Int) {
        timers.swapAt(left, right)
        timers[left].position = left
        timers[right].position = right
    }
}
