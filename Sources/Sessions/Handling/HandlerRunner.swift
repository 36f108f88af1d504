import Queues
import Synchronization
import ViewModels

/// Runs a task that calls a session's handlers: starts it, wakes it, and cancels it as the session's
/// `ViewEventInbox` says. Most sessions have one, for the main lane.
struct HandlerRunner {
    /// The session whose handler this task runs, or was started from. Known only for sessions that can be taken off, and for
    /// durable ones.
    @TaskLocal static var current: TurnMark?

    /// How long what a handler raised may take before the log says so.
    private static let deliveryTime = Duration.seconds(5)

    let session: Session
    var lane: ViewEventInbox.LaneID = nil

    /// Has waiting events of all lanes handled, and ends tasks that aren't needed any more. Called with no lock held, after
    /// each change of the inbox or the views.
    func wake() {
        let (main, others) = session.state.withLock { ($0.wakeHandlers(), $0.wakeOtherHandlers()) }
        HandlerRunner(session: session).obey(main)
        for (lane, wake) in others { HandlerRunner(session: session, lane: lane).obey(wake) }
    }

    /// Queues a view event that has a schedule, as `Session.submit(_:from:number:)` does with others.
    func submit(
        _ job: ViewEventJob, _ schedule: ViewEventJob.Schedule, from view: Int, number: Int?
    ) throws(SessionError) -> HandlerQueue.JobID {
        let context = session.context
        let now = context.elapsed()
        let (submission, wake, hasTakenMuch) = try session.state.withLock { state throws(SessionError) in
            let before = state.takenMebibytes
            let submission = try state.submit(
                job, schedule, from: view, number: number, context.limits, now: now
            ) { RepeatedEvent(job, $0, in: session) }
            return (submission, state.wakeHandlers(of: submission.lane), state.takenMebibytes != before)
        }
        if hasTakenMuch { context.onTake() }
        if let superseded = submission.superseded {
            TurnKeeper(session: session).finish(superseded, .superseded)
        }
        submission.cancelled?.cancel()
        let runner = HandlerRunner(session: session, lane: submission.lane)
        runner.obey(wake)
        if let timer = submission.timer { runner.endDebounce(after: timer) }
        return submission.id
    }

    private func endDebounce(after delay: Duration) {
        let context = session.context
        _ = context.executor.schedule(after: delay, by: context.clock) { [weak session, lane] in
            guard let session else { return }
            let now = session.context.elapsed()
            let (rest, wake) = session.state.withLock { state in
                (state.inbox.endDebounce(in: lane, now: now), state.wakeHandlers(of: lane))
            }
            let runner = HandlerRunner(session: session, lane: lane)
            runner.obey(wake)
            if let rest { runner.endDebounce(after: rest) }
        }
    }

    func obey(_ wake: HandlerTask.Wake) {
        switch wake {
        case .nothing: break
        case .resume(let continuation): continuation.resume()
        case .start(let number):
            // Detached: it may be started from inside anything, whose task-local values aren't this session's.
            let executor = HandlerExecutor.make(of: session, lane: lane)
            let task = Task.detached(executorPreference: executor ?? session.context.executor) { [self] in
                await run(in: session.model.isolation, executor)
            }
            if session.state.withLock({ $0.inbox.note(task, number: number, in: lane) }) { task.cancel() }
        }
    }

    /// Where the view model is an actor, this runs on it, so that each event takes one hop and not three.
    private func run(in isolation: isolated (any Actor)?, _ executor: HandlerExecutor?) async {
        var isFirst = true
        while true {
            switch session.state.withLock({ $0.nextHandler(in: lane) }) {
            case .handle(let next):
                await handle(next, executor)
                // The session's first job makes the view model, and so the actor.
                if isFirst, isolation == nil, let actor = session.model.isolation {
                    return await run(in: actor, executor)
                }
                isFirst = false
            case .wait:
                await withUnsafeContinuation(isolation: isolation) { continuation in
                    if !session.state.withLock({ $0.waitForHandler(continuation, in: lane) }) { continuation.resume() }
                }
            case .end:
                return wake()
            }
        }
    }

    private func handle(_ next: HandlerQueue.Running, _ executor: HandlerExecutor?) async {
        var end = HandlerEnd(id: next.id)
        executor?.willCall()
        do {
            // Directly where it can be: each function between this one and the handler costs as much as a lock.
            if next.job.request.progress == nil, next.job.request.client == nil, session.mark == nil {
                try await next.job.handle()
            } else {
                try await call(next.job)
            }
        } catch {
            end.failure = error
        }
        if let turn = executor?.eventTurn, turn.hasRaised { end.hasRaised = await finish(turn) }
        let isHome = executor?.didCall() ?? true
        // What runs after the session's end, as `stop()` does, is no turn of it.
        if session.isDurable, session.endReason == nil {
            await endTurn(end)
        } else if isHome {
            didHandle(end)
        } else {
            await goHome(executor, end)
        }
    }

    /// Waits until everything that the handler raised has been delivered, in other isolations too.
    ///
    /// - Returns: whether it has raised anything.
    private func finish(_ turn: EventTurn) async -> Bool {
        guard let end = turn.takeEnd() else { return false }
        guard !end.hasCome else { return true }
        let context = session.context
        let timer = context.executor.schedule(after: Self.deliveryTime, by: context.clock) { [session, lane] in
            guard !end.hasCome else { return }
            let running = session.state.withLock { $0.inbox.running(in: lane)?.job.name } ?? ""
            let handler = running.isEmpty ? session.viewModelName : "\(session.viewModelName).\(running)"
            context.warn(
                """
                \(handler) has returned and isn't over \(Self.deliveryTime) later: something that subscribes to an Event \
                which it raised hasn't returned
                """)
        }
        await end.wait()
        timer.cancel()
        return true
    }

    /// The same for a durable session, whose answer comes when the turn is stored.
    private func endTurn(_ end: HandlerEnd) async {
        if !session.model.isSettled {
            await withUnsafeContinuation { continuation in session.model.afterPending { continuation.resume() } }
        }
        await TurnKeeper(session: session).endTurn { [session, lane] state in
            let takenOff = state.lifetime.takenOff
            // Nil when the session ended and answered it.
            guard let (job, handled) = state.finish(end, in: lane) else { return nil }
            if let number = job.number { state.kept?.finish(number) }
            return { outcome in
                switch outcome {
                case .stored: job.finish(handled)
                case .refused(let reason): job.finish(.failed(NotStored(reason: reason)))
                case .lost: job.finish(.lost)
                }
                if let takenOff { session.end(takenOff) }
            }
        }
    }

    private func goHome(_ executor: HandlerExecutor?, _ end: HandlerEnd) async {
        let wayHome = executor.map { WayHome(of: $0) }
        await withTaskExecutorPreference(wayHome) { await finishAtHome(executor, end) }
    }

    /// Concurrent, so that a task that is on the view model's actor leaves it, and goes to its executor.
    @concurrent private func finishAtHome(_ executor: HandlerExecutor?, _ end: HandlerEnd) async {
        executor?.didGoHome()
        didHandle(end)
    }

    /// Calls the handler with the task-local values that it needs.
    private func call(_ job: ViewEventJob) async throws {
        if let progress = job.request.progress {
            // Kept by the handler and by the tasks that it starts, and by nobody else.
            try await WorkDoneProgress.$current.withValue(WorkDoneProgress(of: progress)) { try await callKnown(job) }
        } else {
            try await callKnown(job)
        }
    }

    private func callKnown(_ job: ViewEventJob) async throws {
        if let client = job.request.client {
            try await Client.$current.withValue(client) { try await callInScene(job) }
        } else {
            try await callInScene(job)
        }
    }

    private func callInScene(_ job: ViewEventJob) async throws {
        if let mark = session.mark {
            try await Self.$current.withValue(mark) { try await job.handle() }
        } else {
            try await job.handle()
        }
    }

    private func didHandle(_ end: HandlerEnd) {
        if session.model.isSettled { return finish(end) }
        // Another thread still delivers what the handler sent.
        session.model.afterPending {
            finish(end)
            wake()
        }
    }

    private func finish(_ end: HandlerEnd) {
        let (finished, takenOff) = session.state.withLock { state in
            let finished = state.finish(end, in: lane)
            let takenOff = state.lifetime.takenOff
            return (finished, takenOff == nil || state.inbox.isRunning ? nil : takenOff)
        }
        // Nil when the session ended and answered it.
        if let (job, outcome) = finished { job.finish(outcome) }
        if let takenOff { session.end(takenOff) }
    }
}

extension SessionState {
    /// Takes out the event whose handler has returned. Nil when it was answered before, since the session ended.
    fileprivate mutating func finish(
        _ end: HandlerEnd, in lane: ViewEventInbox.LaneID
    ) -> (job: ViewEventJob, outcome: ViewEventJob.Outcome)? {
        guard let finished = inbox.finish(end.id, in: lane) else { return nil }
        let outcome = end.outcome(finished.interruption, newest: feed.log.newest)
        inbox.note(outcome, of: finished.job)
        return (finished.job, outcome)
    }
}

/// A handler has returned, and so has what it raised.
private struct HandlerEnd: Sendable {
    let id: HandlerQueue.JobID
    var failure: (any Error)?
    /// Others may have heard of something.
    var hasRaised = false

    func outcome(_ interruption: HandlerQueue.Interruption?, newest: Int) -> ViewEventJob.Outcome {
        interruption?.outcome ?? failure.map { .failed($0) } ?? .handled(newest: newest, hasRaised: hasRaised)
    }
}

/// The turn of a view event, or of a start, isn't stored.
private struct NotStored: Error, CustomStringConvertible {
    let reason: String

    var description: String {
        "it isn't stored (\(reason)); its session goes on from what is, when it is attached again"
    }
}

extension HandlerQueue.Interruption {
    fileprivate var outcome: ViewEventJob.Outcome {
        switch self {
        case .cancelled: .cancelled
        case .superseded: .superseded
        }
    }
}
