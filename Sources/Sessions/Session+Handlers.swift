import Synchronization
import ViewModels

// The task that calls the session's handlers.
extension Session {
    /// Sees to it that what waits is handled, and that a task which isn't needed any more ends.
    func wakeHandlers() {
        obey(state.withLock { $0.wakeHandlers() })
    }

    func obey(_ wake: HandlerTask.Wake) {
        switch wake {
        case .nothing: break
        case .resume(let continuation): continuation.resume()
        case .start(let number):
            // Detached: it may be started from inside anything, whose task-local values aren't this session's.
            let task = Task.detached(executorPreference: context.executor) { [self] in
                await runHandlers(in: host.isolation)
            }
            if state.withLock({ $0.handlers.note(task, number: number) }) { task.cancel() }
        }
    }

    /// Where the view model is an actor, this runs on it, so that each event takes one hop and not three.
    private func runHandlers(in isolation: isolated (any Actor)?) async {
        while true {
            switch state.withLock({ $0.nextHandler() }) {
            case .handle(let next):
                await handle(next)
            case .wait:
                await withUnsafeContinuation(isolation: isolation) { continuation in
                    if !state.withLock({ $0.waitForHandler(continuation) }) { continuation.resume() }
                }
            case .end:
                return wakeHandlers()
            }
        }
    }

    private func handle(_ next: HandlerQueue.Running) async {
        var failure: (any Error)?
        do {
            try await call(next.job)
        } catch {
            failure = error
        }
        if host.isSettled { return finish(next.id, failure) }
        // What the handler sent is still on its way, where another thread delivers it.
        host.afterPending { [failure] in
            self.finish(next.id, failure)
            self.wakeHandlers()
        }
    }

    /// Calls the handler with the task-local values that it needs; each costs, so nobody gets one for nothing.
    private func call(_ job: ViewEventJob) async throws {
        if let progress = job.progress {
            try await WorkDoneProgress.$current.withValue(progress) { try await callKnown(job) }
        } else {
            try await callKnown(job)
        }
    }

    private func callKnown(_ job: ViewEventJob) async throws {
        if isChild {
            try await Self.$handling.withValue(ObjectIdentifier(self)) { try await job.handle() }
        } else {
            try await job.handle()
        }
    }

    private func finish(_ id: Int, _ failure: (any Error)?) {
        let (finished, newest, leaving) = state.withLock { ($0.queue.finish(id), $0.log.newest, $0.leaving) }
        // Otherwise the session ended and answered it.
        if let finished {
            let outcome: ViewEventJob.Outcome =
                finished.isCancelled ? .cancelled : failure.map { .failed($0) } ?? .handled(newest: newest)
            finished.job.finish(outcome)
        }
        if let leaving { end(leaving) }
    }
}

extension SessionState {
    /// What the handlers' task does next.
    enum HandlerStep {
        case handle(HandlerQueue.Running)
        /// Nothing waits, or the last event isn't finished yet.
        case wait
        /// Another task goes on, where there is anything to do.
        case end
    }

    fileprivate mutating func nextHandler() -> HandlerStep {
        guard !mustEndHandlers else {
            handlers.end()
            return .end
        }
        return queue.startNext().map { .handle($0) } ?? .wait
    }

    /// False when there is something to do by now.
    fileprivate mutating func waitForHandler(_ continuation: UnsafeContinuation<Void, Never>) -> Bool {
        guard !queue.canStart, !mustEndHandlers else { return false }
        handlers.wait(continuation)
        return true
    }

    mutating func wakeHandlers() -> HandlerTask.Wake {
        if queue.canStart { return handlers.wake(isBound: isBound) }
        return handlers.isWaiting && mustEndHandlers ? handlers.wake(isBound: isBound) : .nothing
    }

    private var mustEndHandlers: Bool {
        if handlers.isCancelled || handlers.isOutdated(isBound: isBound) { return true }
        return queue.running == nil && !queue.canStart && (views.isEmpty || isOver)
    }
}
