package import JSON
import Synchronization
import ViewModels

/// One hosted view model: its events numbered and kept, its view events one at a time, its views wherever they are.
///
/// All members may be called from any thread and none waits: not for the view model, not for a view. Handlers run on the
/// session's executor, on which a default actor runs too.
package final class Session: Sendable {
    /// Whoever knows it may attach: 128 random bits or more.
    package let key: String
    /// The name that it was registered under.
    package let viewModelName: String
    /// What it stands in; nil where nothing can be shown, as in a test.
    package let scene: Scene?
    /// It was pushed or presented, and so can be taken off.
    package let isChild: Bool
    let context: SessionContext
    let host: any ModelHost
    private let onReady: Mutex<(@Sendable () -> Void)?>
    let state: Mutex<SessionState>
    /// The session whose handler this task is of, or was started from; only known for those that can be taken off.
    @TaskLocal static var handling: ObjectIdentifier?

    package init(
        key: String,
        viewModelName: String,
        host: any ModelHost,
        scene: Scene? = nil,
        isChild: Bool = false,
        context: SessionContext
    ) {
        self.key = key
        self.viewModelName = viewModelName
        self.host = host
        self.scene = scene
        self.isChild = isChild
        self.context = context
        onReady = Mutex(nil)
        state = Mutex(SessionState(limits: context.limits))
    }

    var limits: Limits { context.limits.values }

    /// Makes the view model and starts it, before any view event is handled. Called once, by whoever `claimOpening()` told
    /// to, after the first view attached.
    ///
    /// - Parameters:
    ///   - ready: called once the view model is there and before it starts.
    ///   - failed: called instead of `ready`, when it couldn't be made or the session was closed before.
    ///   - started: called last, once it has started or never will.
    /// - Returns: what `cancel(_:)` takes.
    package func open(
        ready: @escaping @Sendable () -> Void,
        failed: @escaping @Sendable (ViewEventJob.Outcome) -> Void,
        started: @escaping @Sendable () -> Void
    ) -> Int {
        onReady.withLock { $0 = ready }
        return submit(
            ViewEventJob(
                handle: { [self] in try await host.open(for: self) },
                complete: { [self] outcome in
                    didOpen(outcome, failed: failed)
                    started()
                }))
    }

    /// True for the first caller only, ever: who must call `open`.
    package func claimOpening() -> Bool {
        state.withLock { state in
            defer { state.isOpened = true }
            return !state.isOpened
        }
    }

    /// Has a say before the user goes back from this session.
    var backHandling: (any BackHandling)? { host.backHandling }

    /// The host says that the view model is bound.
    func modelIsReady() {
        state.withLock { $0.isBound = true }
        takeOnReady()?()
    }

    private func didOpen(_ outcome: ViewEventJob.Outcome, failed: @Sendable (ViewEventJob.Outcome) -> Void) {
        let wasReady = takeOnReady() == nil
        if !wasReady { failed(outcome) }
        switch outcome {
        case .handled: break
        case .failed(let error):
            if wasReady { report("\(viewModelName) failed to start: \(error)") }
            end(.failed)
        case .cancelled, .sessionEnded: end(.closed)
        }
    }

    private func takeOnReady() -> (@Sendable () -> Void)? {
        onReady.withLock { action in
            defer { action = nil }
            return action
        }
    }

    /// Tells every view's client something that is no event.
    package func report(_ message: String) {
        for view in state.withLock({ $0.views.all }) { view.viewer.sessionReports(message, for: view.number) }
    }

    /// Ends the session for everyone: its handler is cancelled, and what waited or ran is answered. What stands on it ends
    /// with it.
    package func end(_ reason: EndReason) {
        end(reason) { _ in true }
    }

    func end(_ reason: EndReason, where condition: (SessionState) -> Bool) {
        let ended = state.withLock { state -> ([SessionState.News], [ViewEventJob], Task<Void, Never>?)? in
            guard condition(state), let news = state.end(reason) else { return nil }
            let (isRunning, jobs) = state.queue.removeAll()
            return (news, jobs, isRunning ? state.handlers.cancel() : nil)
        }
        guard let (news, jobs, task) = ended else { return }
        task?.cancel()
        for job in jobs { job.finish(.sessionEnded) }
        for news in news { news.tell() }
        host.close()
        wakeHandlers()
        scene?.didEnd(self, reason)
        context.onEnd(self)
    }

    /// Ends the session, since it was taken off the screen. A handler of its own that asked for it is let finish, and is
    /// answered, first.
    func takeOff(_ reason: EndReason) {
        guard Self.handling == ObjectIdentifier(self), let jobs = state.withLock({ $0.leave(reason) }) else {
            return end(reason)
        }
        for job in jobs { job.finish(.sessionEnded) }
        // Not for ever: nothing shows it any more.
        let timer = after(limits.drainGrace) { $0.end(reason) }
        if !state.withLock({ $0.keep(timer: timer) }) { timer.cancel() }
    }

    /// True from the first call of `end(_:)` or `takeOff(_:)` on.
    package var hasEnded: Bool { state.withLock { $0.isOver } }

    /// Reads a view event for this session's view model.
    package func decode(
        _ event: JSONValue, at path: JSONPointer
    ) throws(JSONCodingError) -> ViewEventJob.Handler {
        try host.decode(event, at: path)
    }

    /// Ends the session after a time, unless a view comes back to it, or may come back to something that stands on it.
    func startExpiry(after delay: Duration) -> Task<Void, Never> {
        after(delay) { $0.expire() }
    }

    private func expire() {
        // A view that came back has cancelled this task, under the same lock.
        guard state.withLock({ $0.views.isEmpty && !Task.isCancelled }) else { return }
        guard let delay = scene?.timeKept(self) else { return end(.closed) { $0.views.isEmpty && !Task.isCancelled } }
        let next = startExpiry(after: delay)
        if !state.withLock({ !Task.isCancelled && $0.renew(expiry: next) }) { next.cancel() }
    }

    /// How long views, those that it has or had, keep it from now on; nil when they don't.
    var timeKept: Duration? {
        state.withLock { state in
            guard state.views.isEmpty else { return limits.resumeWindow }
            guard let time = state.leavingTime else { return nil }
            let rest = time + limits.resumeWindow - context.elapsed()
            return rest > .zero ? rest : nil
        }
    }

    private func after(_ delay: Duration, _ work: @escaping @Sendable (Session) -> Void) -> Task<Void, Never> {
        // Detached: it outlives the handler that it may be started from.
        Task.detached(executorPreference: context.executor) { [weak self, clock = context.clock] in
            do {
                try await clock.sleep(for: delay)
            } catch {
                return
            }
            if let self { work(self) }
        }
    }
}
