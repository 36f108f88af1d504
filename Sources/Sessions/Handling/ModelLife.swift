import Synchronization
package import ViewModels

/// How far a session's view model is in its life, and what it was told of the session's views. Pure rules, guarded by the
/// `Session`.
///
/// The view model is told in jobs of the session's queue, and so in order with its handlers. A job looks at the views when it
/// runs: where the last view went and another came back before, there is nothing to tell.
struct ModelLife {
    private enum Phase {
        /// `start()` hasn't returned.
        case opening
        case started
        case stopped
    }

    private var phase = Phase.opening
    /// Whether the view model was told that there are views.
    private var knowsViews = false
    /// Whether the view model is told who looks. Then there is something to tell whenever views have come or gone.
    private(set) var tellsViewers = false
    /// Whether a job waits that tells the view model of a change.
    private var isQueued = false

    var isStarted: Bool { phase == .started }

    /// Notes that `start()` has returned. The caller tells the view model of the change that `takeChange(hasViews:)` returns.
    ///
    /// - Parameter tellsViewers: whether the view model is told who looks.
    mutating func start(tellsViewers: Bool) {
        phase = .started
        self.tellsViewers = tellsViewers
    }

    /// Notes that views have come or gone. Returns whether a job must be queued.
    mutating func queueChange(hasViews: Bool) -> Bool {
        guard phase == .started, !isQueued, hasViews != knowsViews || tellsViewers else { return false }
        isQueued = true
        return true
    }

    /// Called by the queued job. Returns what to tell the view model; nil where it was told that already.
    ///
    /// - Parameter viewers: those who look; nil where the view model isn't told.
    mutating func takeChange(hasViews: Bool, viewers: [Client]?) -> ViewsChange? {
        isQueued = false
        guard phase == .started, hasViews != knowsViews || tellsViewers else { return nil }
        defer { knowsViews = hasViews }
        return ViewsChange(hasViews: hasViews == knowsViews ? nil : hasViews, viewers: viewers)
    }

    /// Notes that the session has ended, and every handler has returned. Returns whether the view model was started, and so
    /// must be stopped.
    mutating func stop() -> Bool {
        defer { phase = .stopped }
        return phase == .started
    }
}

/// What has changed of a session's views.
package struct ViewsChange: Sendable {
    /// True where the first view has come, and false where the last one has gone; nil where it is neither.
    package let hasViews: Bool?
    /// Those who look; nil where the view model isn't told.
    package let viewers: [Client]?
}

extension SessionState {
    /// Whether there are views that can take events. A session that is about to end has none.
    private var hasViews: Bool { !feed.views.isEmpty && !isOver }

    /// Whether the view model was started, or `start()` runs, which is the only job until it returns.
    var mustStop: Bool { life.isStarted || inbox.isRunning }

    /// Returns the effect of queueing a job that tells the view model of its views, where one is needed.
    mutating func queueChange(_ job: (_ hasViews: Bool) -> ViewEventJob) -> HandlerTask.Wake {
        guard !isOver, life.queueChange(hasViews: hasViews) else { return .nothing }
        _ = inbox.submit(job(hasViews))
        return wakeHandlers()
    }

    mutating func takeChange() -> ViewsChange? {
        life.takeChange(hasViews: hasViews, viewers: life.tellsViewers ? viewers : nil)
    }
}

/// Tells a session's view model of its views and of its end, in jobs of the session, as its `ModelLife` says.
struct LifeRunner {
    let session: Session

    /// Has the view model told, in its turn among the handlers, that a first view came or that the last one went, and who looks.
    /// Called after views have come or gone, with no lock held.
    func viewsDidChange() {
        let wake = session.state.withLock { state in
            state.queueChange { hasViews in
                ClosureJob(
                    hasViews ? "viewsDidAppear" : "viewsDidDisappear", handle: { [self] in await tellOfViews() },
                    complete: { _ in })
            }
        }
        HandlerRunner(session: session).obey(wake)
    }

    private func tellOfViews() async {
        if let change = session.state.withLock({ $0.takeChange() }) { await session.model.viewsDidChange(change) }
    }

    /// Makes and starts the view model, and tells it of the views that it has by then. Called once, in the first job. In a
    /// later life this returns once all view models of the scene have resumed.
    ///
    /// - Parameter client: `Client.current` until the view model has started.
    /// - Throws: what `SessionModel.open(for:)` throws, or `SceneFailed`.
    func open(for client: Client?) async throws {
        guard session.isRestored, let scene = session.scene else { return try await start(for: client) }
        do {
            try await start(for: client)
        } catch {
            scene.resumption.end(session, error)
            throw error
        }
        try await scene.resumption.wait(after: session)
        // By now all view models of the scene have made the objects that they share, except those that they make when they need
        // them.
        guard !session.isChild, let unread = session.storage?.committer.unreadShared(by: scene.registry) else { return }
        if !unread.names.isEmpty { session.context.warn(UnreadValues.ofShared(unread.names, of: session)) }
        if !unread.members.isEmpty { session.context.warn(UnreadValues.ofMembers(unread.members, of: session)) }
    }

    private func start(for client: Client?) async throws {
        let isStarted = try await Client.$current.withValue(client) { try await session.model.open(for: session) }
        guard isStarted else { return }
        let tellsViewers = session.model.isToldOfViewers
        let change = session.state.withLock { state in
            state.life.start(tellsViewers: tellsViewers)
            return state.takeChange()
        }
        guard let change else { return }
        if session.model.isolation != nil { HandlerExecutor.current?.willCall(hops: true) }
        await session.model.viewsDidChange(change)
    }

    /// Queues the job that stops the view model of a session that has ended. It is the session's last job, behind the handler
    /// that ran.
    ///
    /// - Parameter last: the handler that ran; nil where none did.
    func stop(after last: ViewEventJob?) {
        // This comes before the job is queued, as that may be done at once.
        session.context.ending.begin(session, after: last)
        let job = ClosureJob(
            "stop",
            handle: { [self] in
                await tellOfViews()
                if session.state.withLock({ $0.life.stop() }) { await session.model.stop() }
            },
            complete: { [self] _ in session.context.ending.finish(session) })
        session.state.withLock { $0.inbox.submit(last: job) }
    }

    /// Gives up on a view model that hasn't stopped in time: its task is cancelled.
    ///
    /// - Parameter last: the handler that ran, as for `stop(after:)`.
    /// - Returns: a line for the log, which says what the stop waits for.
    func abandonStop(after time: Duration, last: ViewEventJob?) -> String {
        // No other job is queued any more, so the one that runs is the last.
        let (isStopping, task) = session.state.withLock { state in
            let job = state.inbox.running(in: .main)?.id
            return (job != nil, job.flatMap { state.inbox.cancel($0).running })
        }
        task?.cancel()
        let viewModel = session.viewModelName
        guard isStopping || last != nil else {
            let reason = "no thread was free"
            return "\(viewModel).stop has not begun \(time) after the end of its session (drainGrace): \(reason)"
        }
        let name = isStopping ? "stop" : last?.name ?? ""
        let work = name.isEmpty ? viewModel : "\(viewModel).\(name)"
        let effect = isStopping ? "and is cancelled" : "so stop is not called before it does"
        return "\(work) has not returned \(time) after the end of its session (drainGrace), \(effect)"
    }
}
