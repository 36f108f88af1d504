import Queues
import Synchronization

/// How a session begins and when it ends by itself. Pure rules, guarded by the `Session`.
struct SessionLife {
    private var opening = Opening.awaited
    /// The timer that ends the session when no view comes back to it, or when a handler that takes its session off doesn't
    /// return.
    private var timer: Timer?
    /// Why the session ends once its running handler returns, which has taken it off the screen; nil otherwise.
    private(set) var takenOff: EndReason?
    /// When the last view was detached, by the session's time.
    var lastViewDetached: Duration?

    enum Timer {
        case task(Task<Void, Never>)
        case resume(ResumeTimers, ResumeTimers.ID)

        func cancel() {
            switch self {
            case .task(let task): task.cancel()
            case .resume(let timers, let id): timers.cancel(id)
            }
        }
    }

    /// How far the view model is.
    private enum Opening {
        /// Nobody has asked for the view model.
        case awaited
        /// The job makes the view model, and these callers wait for it.
        case begun(HandlerQueue.JobID, [OpeningWaiter])
        /// The view model is bound, or never will be.
        case over
    }

    var isBeingOpened: Bool { if case .begun = opening { true } else { false } }

    var awaitsOpening: Bool { if case .awaited = opening { true } else { false } }

    /// Notes the queued job that makes the view model, and the first caller that waits for it.
    mutating func beginOpening(_ job: HandlerQueue.JobID, for waiter: OpeningWaiter) {
        opening = .begun(job, [waiter])
    }

    /// Adds a caller that waits for the view model. Returns the job that makes it; nil where there is nothing to wait for.
    mutating func joinOpening(_ waiter: OpeningWaiter) -> HandlerQueue.JobID? {
        guard case .begun(let job, let waiters) = opening else { return nil }
        opening = .begun(job, waiters + [waiter])
        return job
    }

    /// Notes that the view model is bound, or never will be. Returns the callers that waited for that; nil where it was noted
    /// before.
    mutating func endOpening() -> [OpeningWaiter]? {
        guard case .begun(_, let waiters) = opening else { return nil }
        opening = .over
        return waiters
    }

    mutating func takeOff(_ reason: EndReason) {
        takenOff = reason
    }

    var hasTimer: Bool { timer != nil }

    /// Whether this timer has been neither cancelled nor replaced.
    func isSet(_ id: ResumeTimers.ID) -> Bool {
        if case .resume(_, id)? = timer { true } else { false }
    }

    mutating func setTimer(_ next: Timer) {
        timer?.cancel()
        timer = next
    }

    mutating func cancelTimer() {
        timer?.cancel()
        timer = nil
    }
}

/// A caller that waits for a session's view model. Either `ready` or `failed` is called, once.
struct OpeningWaiter {
    let ready: @Sendable () -> Void
    let failed: @Sendable (ViewEventJob.Outcome) -> Void

    /// Returns a waiter that calls `action` after either of the two.
    func then(_ action: @escaping @Sendable () -> Void) -> OpeningWaiter {
        OpeningWaiter(
            ready: {
                ready()
                action()
            },
            failed: { outcome in
                failed(outcome)
                action()
            })
    }

    /// Takes the outcome of storing the session, and calls `ready` or `failed`.
    func take(_ outcome: StoreOutcome) {
        if outcome.isStored { ready() } else { failed(outcome.isLost ? .lost : .sessionEnded) }
    }
}

/// The resume window of a session: where no view comes back to it within that time, it ends.
struct ResumeWindow {
    let session: Session

    /// Begins the window of a session without views. Does nothing when a view has come back, or the session has ended.
    func begin() {
        let now = session.context.elapsed()
        let timer = timer(after: length)
        guard session.state.withLock({ $0.keep(resumeTimer: timer, now: now) }) else { return timer.cancel() }
        LifeRunner(session: session).viewsDidChange()
        session.context.onAbandon(session)
    }

    /// The length of the window. After it a durable session only leaves memory.
    private var length: Duration { session.isDurable ? session.limits.idleTime : session.limits.resumeWindow }

    private func timer(after delay: Duration) -> SessionLife.Timer {
        let timers = session.context.resumeTimers
        return .resume(timers, timers.set(session, after: delay))
    }

    /// Takes a timer that has fired. Called once for each timer, on the session's executor.
    func end(_ timer: ResumeTimers.ID) {
        guard session.state.withLock({ $0.isDue(timer) }) else { return }
        let delay: Duration
        // A durable one leaves memory with its whole scene.
        let kept = session.scene.map { $0.timeKept(session.isDurable ? $0.root ?? session : session) }
        if let kept = kept ?? nil {
            delay = kept
        } else if !session.isDurable {
            return session.end(.closed) { $0.isDue(timer) }
        } else if session.scene?.leaveMemory() ?? true {
            return
        } else {
            delay = length
        }
        let next = self.timer(after: delay)
        if !session.state.withLock({ $0.isDue(timer) && $0.renew(resumeTimer: next) }) { next.cancel() }
    }

    /// How much of the window is left: all of it while there are views. Nil when it is over, or no view ever came.
    var rest: Duration? {
        let (hasViews, lastViewDetached) = views
        if hasViews { return length }
        guard let lastViewDetached else { return nil }
        let rest = lastViewDetached + length - session.context.elapsed()
        return rest > .zero ? rest : nil
    }

    var views: (are: Bool, lastDetached: Duration?) {
        session.state.withLock { (!$0.feed.views.isEmpty, $0.lifetime.lastViewDetached) }
    }
}

extension SessionState {
    /// Whether no view has come back, which would have cancelled this timer.
    fileprivate func isDue(_ timer: ResumeTimers.ID) -> Bool { feed.views.isEmpty && lifetime.isSet(timer) }
}

extension Session {
    /// Whether this session, which a client opened, has had views, and neither it nor anything on or over it has any now.
    package var isAbandoned: Bool {
        var views = ResumeWindow(session: self).views
        // The session itself is asked first: most sessions have views, and there may be a thousand over them.
        if !views.are, let scene { views = scene.views }
        return !views.are && views.lastDetached != nil
    }
}
