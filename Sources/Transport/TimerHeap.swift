/// Timers by deadline, those of one deadline in the order they were set; a binary heap whose timers know their place, so
/// that a cancelled one leaves at once. Confined to the loop.
struct TimerHeap {
    private var timers: [LoopTimer] = []

    var isEmpty: Bool { timers.isEmpty }

    /// For the poller: rounded up, so that nothing fires early; negative when there is none.
    func millisecondsToNext() -> Int32 {
        guard let first = timers.first else { return -1 }
        let now = MonotonicTime.now
        guard first.deadline > now else { return 0 }
        return Duration.nanoseconds(first.deadline.nanoseconds - now.nanoseconds).clampedMilliseconds
    }

    mutating func insert(_ timer: LoopTimer) {
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
