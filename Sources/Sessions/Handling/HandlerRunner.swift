import Queues
import Synchronization
import ViewModels

/// Runs the task that calls the handlers of one lane: starts it, wakes it, and cancels it as the session's `ViewEventInbox`
/// says. Most sessions have one such task, for the main lane.
struct HandlerRunner {
    /// The mark of the session whose handler runs in this task, or has started it. Set only for sessions that can be taken off,
    /// and for durable ones.
    @TaskLocal static var current: TurnMark?

    /// How long the delivery of what a handler raised may take before the log says so.
    private static let deliveryTime = Duration.seconds(5)

    let session: Session
    var lane = ViewEventInbox.LaneID.main

    /// Has waiting events of all lanes handled, and ends tasks that aren't needed any more. Called with no lock held, after
    /// each change of the inbox or the views.
    func wake() {
        let (main, others) = session.state.withLock { ($0.wakeHandlers(), $0.wakeOtherHandlers()) }
        HandlerRunner(session: session).obey(main)
        for (lane, wake) in others { HandlerRunner(session: session, lane: lane).obey(wake) }
    }

    /// Has events that have arrived read, and gives each its lane.
    private func sortArrivals(_ executor: HandlerExecutor?) async {
        while case .handle(let next) = await withUnsafeContinuation({ takeNextStep($0) }) {
            executor?.willCall()
            let schedule = next.job.readSchedule()
            let isHome = executor?.didCall() ?? true
            place(next.id, schedule)
            if !isHome { await goHome(executor) {} }
        }
        wake()
    }

    private func place(_ id: HandlerQueue.JobID, _ schedule: ViewEventJob.Schedule?) {
        let now = session.context.elapsed()
        guard let (placement, wake) = session.state.withLock({ $0.place(id, schedule, now: now) }) else { return }
        if let removed = placement.removed { TurnCommitter(session: session).finish(removed, .cancelled) }
        if let superseded = placement.superseded { TurnCommitter(session: session).finish(superseded, .superseded) }
        placement.cancelled?.cancel()
        let runner = HandlerRunner(session: session, lane: placement.lane)
        runner.obey(wake)
        if let timer = placement.timer { runner.endDebounce(after: timer) }
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
        case .resume(let continuation, let step): continuation.resume(returning: step)
        case .start(let number):
            // Detached: it may be started from inside anything, whose task-local values aren't this session's.
            let executor = HandlerExecutor.make(of: session, lane: lane)
            let task = Task.detached(executorPreference: executor ?? session.context.executor) { [self] in
                // Not on the view model's actor, which may be at work for long: an arriving event may supersede that work.
                if lane == .arriving { return await sortArrivals(executor) }
                if let caller = session.model as? any HandlerCaller {
                    await caller.run(self, in: session.model.isolation, executor)
                } else {
                    await run(in: session.model.isolation, executor)
                }
            }
            if session.state.withLock({ $0.inbox.note(task, number: number, in: lane) }) { task.cancel() }
        }
    }

    /// Calls the handlers, one after the other. Where the view model is an actor, this runs on it, so that each event takes one
    /// hop and not three.
    private func run(in isolation: isolated (any Actor)?, _ executor: HandlerExecutor?) async {
        var step = await withUnsafeContinuation(isolation: isolation) { takeNextStep($0) }
        while case .handle(let next) = step {
            let end = await handle(next, executor)
            step = await withUnsafeContinuation(isolation: isolation) { takeNextStep($0, after: end) }
        }
        wake()
    }

    /// Takes the next step of the task.
    ///
    /// - Parameters:
    ///   - continuation: is resumed with the next step. Where there is none yet, its task waits.
    ///   - end: the end of an event that is still to be answered. The next event is begun, or the task waits, before the answer
    ///     is given: the answer may lead to a wakeup of the task, which goes on when this has returned.
    // Never inlined: its temporaries would stay in the frame of the task, which waits for as long as the session is there. They
    // took 3.4 KiB of each.
    @inline(never)
    func takeNextStep(
        _ continuation: UnsafeContinuation<ViewEventInbox.Step, Never>, after end: HandlerEnd? = nil
    ) {
        let (ended, takenOff, step) = session.state.withLock { state in
            let (ended, takenOff) = end.map { state.end($0, in: lane) } ?? (nil, nil)
            return (ended, takenOff, state.nextHandler(in: lane, orWait: continuation))
        }
        answer(ended, takenOff)
        if let step { continuation.resume(returning: step) }
    }

    /// Calls the view model, and waits for all that its handler raised.
    ///
    /// It is a function of its own for all that may suspend: where such paths meet, the compiler has the task look for its
    /// executor again.
    ///
    /// - Returns: the end of the event, which the caller has to answer; nil where it is answered, or will be.
    @inline(never)
    func handle(_ next: HandlerQueue.Running, _ executor: HandlerExecutor?) async -> HandlerEnd? {
        var end = HandlerEnd(id: next.id)
        executor?.willCall()
        do {
            try checkCancellation()
            try await call(next.job)
        } catch {
            end.failure = HandlerFailure(error, isNumbered: next.job.number != nil)
        }
        return await didCall(end, executor)
    }

    /// Throws `CancellationError` where the event was begun, and cancelled before it got here.
    @inline(__always)
    func checkCancellation() throws {
        if Task.isCancelled { throw CancellationError() }
    }

    /// Whether the handler needs no task-local values.
    @inline(__always)
    func callsDirectly(_ job: ViewEventJob) -> Bool {
        job.request.progress == nil && job.request.client == nil && session.mark == nil
    }

    /// Ends an event whose handler has returned.
    ///
    /// - Returns: what `handle` returns.
    @inline(__always)
    func didCall(_ end: HandlerEnd, _ executor: HandlerExecutor?) async -> HandlerEnd? {
        var end = end
        if let turn = executor?.eventTurn, turn.hasRaised { end.hasRaised = await finish(turn) }
        let isHome = executor?.didCall() ?? true
        // What runs after the session's end, as `stop()` does, is no turn.
        if session.isDurable, session.endReason == nil, !isFailedOpening(end) {
            await endTurn(end)
        } else if !isHome {
            await goHome(executor) { [end] in didHandle(end) }
        } else if session.model.isSettled {
            return end
        } else {
            didHandle(end)
        }
        return nil
    }

    /// Whether the view model couldn't be made or started. Then nothing is stored of it, and a later life goes on from what is
    /// stored.
    private func isFailedOpening(_ end: HandlerEnd) -> Bool {
        end.failure != nil && session.state.withLock { $0.inbox.isOpening(end.id) }
    }

    /// Waits until everything that the handler raised has been delivered, in other isolations too.
    ///
    /// - Returns: whether the handler has raised anything.
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

    /// Ends an event of a durable session, whose answer comes when the turn is stored.
    private func endTurn(_ end: HandlerEnd) async {
        if !session.model.isSettled {
            await withUnsafeContinuation { continuation in session.model.afterPending { continuation.resume() } }
        }
        await TurnCommitter(session: session).endTurn { [session, lane] state in
            let takenOff = state.lifetime.takenOff
            // Nil when the session has ended, and the event was answered then.
            guard let (job, handled) = state.finish(end, in: lane) else { return nil }
            if let number = job.number { state.kept?.finish(number) }
            let sent = state.takeSent(for: job)
            return { outcome in
                switch outcome {
                case .stored: SharedRunner(session: session).finish(job, handled, after: sent)
                case .refused(let reason): job.finish(.failed(NotStored(reason: reason)))
                case .lost: job.finish(.lost)
                }
                if let takenOff { session.end(takenOff) }
            }
        }
    }

    private func goHome(_ executor: HandlerExecutor?, then body: @escaping @Sendable () -> Void) async {
        let wayHome = executor.map { WayHome(of: $0) }
        await withTaskExecutorPreference(wayHome) { await finishAtHome(executor, body) }
    }

    /// Calls `body` on the task's executor. It is concurrent, so that a task on the view model's actor leaves that actor.
    @concurrent private func finishAtHome(_ executor: HandlerExecutor?, _ body: @Sendable () -> Void) async {
        executor?.didGoHome()
        body()
    }

    /// Calls the handler with the task-local values that it needs.
    private func call(_ job: ViewEventJob) async throws {
        if let progress = job.request.progress {
            // The progress is kept by the handler and by the tasks that it starts, and by nobody else.
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
        let (ended, takenOff) = session.state.withLock { $0.end(end, in: lane) }
        answer(ended, takenOff)
    }

    @inline(__always)
    private func answer(_ ended: SessionState.EndedEvent?, _ takenOff: EndReason?) {
        if let (job, outcome) = ended { job.finish(outcome) }
        if let takenOff { session.end(takenOff) }
    }
}

extension SessionState {
    /// An event whose handler has returned, to be answered with no lock held.
    fileprivate typealias EndedEvent = (job: ViewEventJob, outcome: ViewEventJob.Outcome)

    /// Takes out the event whose handler has returned.
    ///
    /// - Returns: the event to answer; and why the session is to end now, where it was taken off and waited for this handler.
    @inline(__always)
    fileprivate mutating func end(
        _ end: HandlerEnd, in lane: ViewEventInbox.LaneID
    ) -> (ended: EndedEvent?, takenOff: EndReason?) {
        var ended = finish(end, in: lane)
        if hasShared, holds(ended) { ended = nil }
        let takenOff = lifetime.takenOff
        return (ended, takenOff == nil || inbox.isRunning ? nil : takenOff)
    }

    /// Takes out the event whose handler has returned. Returns nil when it was answered before, since the session ended.
    @inline(__always)
    fileprivate mutating func finish(_ end: HandlerEnd, in lane: ViewEventInbox.LaneID) -> EndedEvent? {
        guard let finished = inbox.finish(end.id, in: lane) else { return nil }
        let outcome = end.outcome(finished.interruption, newest: feed.log.newest)
        if inbox.isOpening(end.id) { inbox.didOpen(outcome) }
        if finished.interruption != nil || end.failure != nil { noteUnhandled(finished, end) }
        return (finished.job, outcome)
    }

    /// Keeps the answer to an event until what its handler has sent to shared sessions is over. Returns whether it is kept.
    @inline(never)
    fileprivate mutating func holds(_ ended: EndedEvent?) -> Bool {
        let numbers = takeSent(for: ended?.job)
        guard let (job, outcome) = ended, job.isOfClient, !numbers.isEmpty else { return false }
        return hold(job, outcome, until: numbers)
    }

    /// Takes the events that the handler which has returned has sent to shared sessions. For a client's event that was sent
    /// again, those that the first with its number has sent.
    @inline(__always)
    fileprivate mutating func takeSent(for job: ViewEventJob?) -> [SharedViews.Number] {
        guard hasShared else { return [] }
        let sent = shared?.takeUnclaimed() ?? []
        guard let repeated = job as? RepeatedEvent else { return sent }
        return sent + (shared?.numbers(for: repeated.original) ?? [])
    }

    // A function of its own, as few events come here.
    @inline(never)
    private mutating func noteUnhandled(_ finished: HandlerQueue.Running, _ end: HandlerEnd) {
        guard let number = finished.job.number, let reason = end.reason(finished.interruption) else { return }
        inbox.unhandled.append(UnhandledEvent(number, reason))
    }
}

/// A model that calls its handlers itself. Another asynchronous function between the task's loop and the handler, unknown when
/// the loop is compiled, would cost more than ten locks.
protocol HandlerCaller: SessionModel {
    /// Runs the body of the task of `runner`, in this isolation, which is the view model's.
    func run(_ runner: HandlerRunner, in isolation: isolated (any Actor)?, _ executor: HandlerExecutor?) async
}

/// The end of an event: its handler has returned, and so have the handlers of what it raised.
struct HandlerEnd: Sendable {
    let id: HandlerQueue.JobID
    var failure: HandlerFailure?
    /// Whether the handler has raised something, so that others may have sent events.
    var hasRaised = false

    func outcome(_ interruption: HandlerQueue.Interruption?, newest: Int) -> ViewEventJob.Outcome {
        interruption?.reason.outcome ?? failure.map { .failed($0.error) }
            ?? .handled(newest: newest, hasRaised: hasRaised)
    }

    /// Returns why the event counts as not handled; nil where it was handled.
    func reason(_ interruption: HandlerQueue.Interruption?) -> UnhandledEvent.Reason? {
        interruption?.reason ?? failure?.reason
    }
}

/// The error that a handler threw. It is an object, since few handlers throw, and each event's end is copied often.
final class HandlerFailure: Sendable {
    let error: any Error
    /// What is kept of the error, where the event is numbered.
    let reason: UnhandledEvent.Reason?

    init(_ thrown: any Error, isNumbered: Bool) {
        error = ToldError.telling(thrown)
        reason = isNumbered ? UnhandledEvent.Reason(error) : nil
    }
}

/// The error for a view event, or a start, whose turn isn't stored.
private struct NotStored: Error, CustomStringConvertible {
    let reason: String

    var description: String {
        "it isn't stored (\(reason)); its session goes on from what is, when it is attached again"
    }
}

extension HandlerQueue.Interruption {
    var reason: UnhandledEvent.Reason {
        switch self {
        case .cancelled: .cancelled
        case .superseded: .superseded
        }
    }
}
