import Synchronization
import ViewModels

/// Runs the task that calls a session's handlers: starts it, wakes it, and cancels it as the session's
/// `ViewEventInbox` says.
struct HandlerRunner {
    /// The session whose handler this task runs, or was started from. Known only for sessions that can be taken off.
    @TaskLocal static var current: ObjectIdentifier?

    let session: Session

    /// Has waiting events handled, and ends a task that isn't needed any more. Called with no lock held, after each
    /// change of the inbox or the views.
    func wake() {
        obey(session.state.withLock { $0.wakeHandlers() })
    }

    func obey(_ wake: HandlerTask.Wake) {
        switch wake {
        case .nothing: break
        case .resume(let continuation): continuation.resume()
        case .start(let number):
            // Detached: it may be started from inside anything, whose task-local values aren't this session's.
            let executor = HandlerExecutor.make(of: session)
            let task = Task.detached(executorPreference: executor ?? session.context.executor) { [self] in
                await run(in: session.model.isolation, executor)
            }
            if session.state.withLock({ $0.inbox.note(task, number: number) }) { task.cancel() }
        }
    }

    /// Where the view model is an actor, this runs on it, so that each event takes one hop and not three.
    private func run(in isolation: isolated (any Actor)?, _ executor: HandlerExecutor?) async {
        while true {
            switch session.state.withLock({ $0.nextHandler() }) {
            case .handle(let next):
                await handle(next, executor)
            case .wait:
                await withUnsafeContinuation(isolation: isolation) { continuation in
                    if !session.state.withLock({ $0.waitForHandler(continuation) }) { continuation.resume() }
                }
            case .end:
                return wake()
            }
        }
    }

    /// Never inlined: inside `run(in:)` the compiler would hop back to the actor after each handler, which is on it already.
    @inline(never)
    private func handle(_ next: HandlerQueue.Running, _ executor: HandlerExecutor?) async {
        var failure: (any Error)?
        executor?.willCall()
        do {
            // Directly where it can be: each function between this one and the handler costs as much as a lock.
            if next.job.progress == nil, next.job.client == nil, !session.isChild {
                try await next.job.call.handle()
            } else {
                try await call(next.job)
            }
        } catch {
            failure = error
        }
        executor?.didCall()
        didHandle(next.id, failure)
    }

    /// Calls the handler with the task-local values that it needs.
    private func call(_ job: ViewEventJob) async throws {
        if let progress = job.progress {
            try await WorkDoneProgress.$current.withValue(progress) { try await callKnown(job) }
        } else {
            try await callKnown(job)
        }
    }

    private func callKnown(_ job: ViewEventJob) async throws {
        if let client = job.client {
            try await Client.$current.withValue(client) { try await callInScene(job) }
        } else {
            try await callInScene(job)
        }
    }

    private func callInScene(_ job: ViewEventJob) async throws {
        if session.isChild {
            try await Self.$current.withValue(ObjectIdentifier(session)) { try await job.call.handle() }
        } else {
            try await job.call.handle()
        }
    }

    private func didHandle(_ id: HandlerQueue.JobID, _ failure: (any Error)?) {
        if session.model.isSettled { return finish(id, failure) }
        // Another thread still delivers what the handler sent.
        session.model.afterPending { [failure] in
            finish(id, failure)
            wake()
        }
    }

    private func finish(_ id: HandlerQueue.JobID, _ failure: (any Error)?) {
        let (finished, newest, takenOff) = session.state.withLock { state in
            (state.inbox.finish(id), state.feed.log.newest, state.lifetime.takenOff)
        }
        // Nil when the session ended and answered it.
        if let finished {
            let outcome: ViewEventJob.Outcome =
                finished.isCancelled ? .cancelled : failure.map { .failed($0) } ?? .handled(newest: newest)
            finished.job.finish(outcome)
        }
        if let takenOff { session.end(takenOff) }
    }
}
