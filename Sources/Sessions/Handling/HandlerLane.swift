/// View events that wait for each other, and the task that handles them. Pure.
struct HandlerLane {
    var queue = HandlerQueue()
    var task = HandlerTask()

    /// Returns the next step of the lane's task; nil where the task waits, until `wake` resumes the continuation with one.
    mutating func next(
        orWait continuation: UnsafeContinuation<ViewEventInbox.Step, Never>, isBound: Bool, isNeeded: Bool
    ) -> ViewEventInbox.Step? {
        if let step = next(isBound: isBound, isNeeded: isNeeded) { return step }
        task.wait(continuation)
        return nil
    }

    private mutating func next(isBound: Bool, isNeeded: Bool) -> ViewEventInbox.Step? {
        guard !mustEndTask(isBound, isNeeded) else {
            task.end()
            return .end
        }
        return queue.startNext().map { .handle($0) }
    }

    mutating func wake(isBound: Bool, isNeeded: Bool) -> HandlerTask.Wake {
        if queue.canStart, let number = task.start(isBound: isBound) { return .start(number: number) }
        guard task.isWaiting, queue.canStart || mustEndTask(isBound, isNeeded), let continuation = task.resume(),
            let step = next(isBound: isBound, isNeeded: isNeeded)
        else { return .nothing }
        return .resume(continuation, step)
    }

    private func mustEndTask(_ isBound: Bool, _ isNeeded: Bool) -> Bool {
        if task.isCancelled || task.isOutdated(isBound: isBound) { return true }
        return queue.running == nil && !queue.canStart && !isNeeded
    }
}
