/// View events that wait for each other, and the task that handles them. Pure.
struct HandlerLane {
    var queue = HandlerQueue()
    var task = HandlerTask()

    mutating func next(isBound: Bool, isNeeded: Bool) -> ViewEventInbox.Step {
        guard !mustEndTask(isBound, isNeeded) else {
            task.end()
            return .end
        }
        return queue.startNext().map { .handle($0) } ?? .wait
    }

    mutating func wait(_ continuation: UnsafeContinuation<Void, Never>, isBound: Bool, isNeeded: Bool) -> Bool {
        guard !queue.canStart, !mustEndTask(isBound, isNeeded) else { return false }
        task.wait(continuation)
        return true
    }

    mutating func wake(isBound: Bool, isNeeded: Bool) -> HandlerTask.Wake {
        if queue.canStart { return task.wake(isBound: isBound) }
        return task.isWaiting && mustEndTask(isBound, isNeeded) ? task.wake(isBound: isBound) : .nothing
    }

    private func mustEndTask(_ isBound: Bool, _ isNeeded: Bool) -> Bool {
        if task.isCancelled || task.isOutdated(isBound: isBound) { return true }
        return queue.running == nil && !queue.canStart && !isNeeded
    }
}
