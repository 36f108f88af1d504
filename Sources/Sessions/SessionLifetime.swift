import Synchronization

/// How a session begins and when it ends by itself. Pure rules, guarded by the `Session`.
struct SessionLifetime {
    private var opening = Opening.awaited
    /// Ends the session when no view comes back to it, or when a handler that takes its session off doesn't return.
    private var timer: Task<Void, Never>?
    /// Why the session ends as soon as its running handler, which took it off the screen, returns.
    private(set) var leaving: EndReason?
    /// When the last view left, by the session's time.
    var lastViewLeft: Duration?

    /// How far the view model is.
    private enum Opening {
        /// Nobody has asked for it.
        case awaited
        /// The job makes it, and these wait for it.
        case begun(HandlerQueue.JobID, [OpeningWaiter])
        /// It is bound, or never will be.
        case over
    }

    var awaitsOpening: Bool { if case .awaited = opening { true } else { false } }

    /// The job that makes the view model is queued for this first one who waits for it.
    mutating func beginOpening(_ job: HandlerQueue.JobID, for waiter: OpeningWaiter) {
        opening = .begun(job, [waiter])
    }

    /// Waits for the view model, which somebody asked for before. Returns the job that makes it; nil where there is nothing
    /// to wait for.
    mutating func joinOpening(_ waiter: OpeningWaiter) -> HandlerQueue.JobID? {
        guard case .begun(let job, let waiters) = opening else { return nil }
        opening = .begun(job, waiters + [waiter])
        return job
    }

    /// The view model is bound, or never will be. Returns those who waited for that; nil where it was known.
    mutating func endOpening() -> [OpeningWaiter]? {
        guard case .begun(_, let waiters) = opening else { return nil }
        opening = .over
        return waiters
    }

    mutating func leave(_ reason: EndReason) {
        leaving = reason
    }

    var hasTimer: Bool { timer != nil }

    mutating func setTimer(_ next: Task<Void, Never>) {
        timer?.cancel()
        timer = next
    }

    /// - Parameter next: follows the timer that has fired, and isn't cancelled, since it is the caller.
    mutating func replaceFiredTimer(with next: Task<Void, Never>) {
        timer = next
    }

    mutating func cancelTimer() {
        timer?.cancel()
        timer = nil
    }
}

/// One who waits for a session's view model. One of the two is called, once.
struct OpeningWaiter {
    let ready: @Sendable () -> Void
    let failed: @Sendable (ViewEventJob.Outcome) -> Void
}

/// Ends a session that no view comes back to within the resume window.
struct ResumeWindow {
    let session: Session

    /// Begins the window of a session without views. Does nothing when a view has come back, or the session has ended.
    func begin() {
        let now = session.context.elapsed()
        let timer = start(after: session.limits.resumeWindow)
        if !session.state.withLock({ $0.keep(resumeTimer: timer, now: now) }) { timer.cancel() }
    }

    private func start(after delay: Duration) -> Task<Void, Never> {
        session.context.schedule(after: delay) { [weak session] in
            if let session { ResumeWindow(session: session).elapse() }
        }
    }

    private func elapse() {
        // A view that came back has cancelled this task, under the same lock.
        guard session.state.withLock({ $0.feed.views.isEmpty && !Task.isCancelled }) else { return }
        guard let delay = session.scene?.timeKept(session) else {
            return session.end(.closed) { $0.feed.views.isEmpty && !Task.isCancelled }
        }
        let next = start(after: delay)
        if !session.state.withLock({ !Task.isCancelled && $0.renew(resumeTimer: next) }) { next.cancel() }
    }

    /// How much of the window is left, which is all of it while there are views. Nil when it is over, or no view
    /// ever came.
    var rest: Duration? {
        let (hasViews, lastViewLeft) = session.state.withLock { (!$0.feed.views.isEmpty, $0.lifetime.lastViewLeft) }
        if hasViews { return session.limits.resumeWindow }
        guard let lastViewLeft else { return nil }
        let rest = lastViewLeft + session.limits.resumeWindow - session.context.elapsed()
        return rest > .zero ? rest : nil
    }
}
