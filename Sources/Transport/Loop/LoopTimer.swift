import Synchronization

/// Work that a loop runs once, later. Made by `EventLoop.schedule`. It runs whether or not the caller retains the timer.
package final class LoopTimer: Sendable {
    let deadline: MonotonicTime
    /// Orders timers with the same deadline.
    private let number: UInt64
    private let loop: EventLoop
    /// The work; nil once the timer has fired or was cancelled.
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

    /// Drops the work, which won't run any more. Any thread may call this; more than once is fine.
    ///
    /// When called off the loop, it may return while the work runs.
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

    /// Whether the timer has neither fired nor been cancelled.
    var isSet: Bool { work.withLock { $0 != nil } }

    func isBefore(_ other: LoopTimer) -> Bool {
        (deadline.nanoseconds, number) < (other.deadline.nanoseconds, other.number)
    }
}

/// Timers by deadline; those with the same deadline are in the order in which they were set. Confined to the loop.
///
/// A binary heap whose timers know their position, so that a cancelled timer is removed at once.
struct TimerHeap {
    private var timers: [LoopTimer] = []

    var isEmpty: Bool { timers.isEmpty }

    /// Returns the time to the next deadline in milliseconds, rounded up, so that no timer fires early; negative when there
    /// is no timer.
    func millisecondsToNext(from now: MonotonicTime) -> Int32 {
        guard let first = timers.first else { return -1 }
        guard first.deadline > now else { return 0 }
        return Duration.nanoseconds(first.deadline.nanoseconds - now.nanoseconds).clampedMilliseconds
    }

    /// Adds a timer, unless it was cancelled on its way here.
    mutating func insert(_ timer: LoopTimer) {
        guard timer.isSet else { return }
        timers.append(timer)
        timer.position = timers.count - 1
        moveUp(timers.count - 1)
    }

    /// Removes a timer, if it is in the heap.
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
