/// Decides which hook of a view model is due, by who uses it: one hook at a time, in the order of what happened. Pure rules.
///
/// The view model's `Output` keeps and guards it, since all erasures of a view model share that.
struct ViewModelLife {
    /// A hook of `HostableViewModel`.
    enum Hook {
        case viewsDidAppear
        /// Of a `PresenceViewModel`.
        case viewersDidChange([Client])
        case viewsDidDisappear, stop
    }

    private enum Phase {
        case made
        case started
        /// No session is left. The view model is not started again.
        case stopped
    }

    private var phase = Phase.made
    /// The number of sessions that have started the view model, or found it started, and have not ended.
    private var sessions = 0
    /// Whether the last session has ended. Never true where there were only bound Views.
    private var mustStop = false
    /// The number of bound Views and of sessions with views.
    private var audience = 0
    /// Whether `viewsDidAppear()` was called last, and not `viewsDidDisappear()`.
    private var hasAppeared = false
    /// Who looks at each session of a `PresenceViewModel`; nil for other view models, and before anybody does.
    private var viewers: Viewers?
    private var isCalling = false

    /// An object, as few view models have it.
    private final class Viewers: Sendable {
        let sessions: [(id: ObjectIdentifier, clients: [Client])]
        /// Those that the view model was told of.
        let told: [Client]

        init(_ sessions: [(id: ObjectIdentifier, clients: [Client])], told: [Client]) {
            (self.sessions, self.told) = (sessions, told)
        }

        var clients: [Client] { sessions.flatMap(\.clients) }
    }

    /// Notes that `start()` has returned.
    mutating func start() {
        if phase == .made { phase = .started }
    }

    mutating func addSession() {
        sessions += 1
        mustStop = false
    }

    mutating func removeSession() {
        sessions -= 1
        mustStop = sessions == 0
    }

    mutating func addAudience() { audience += 1 }
    mutating func removeAudience() { audience -= 1 }

    /// Notes who looks at a session of a `PresenceViewModel`.
    mutating func setViewers(_ clients: [Client], of session: ObjectIdentifier) {
        var sessions = viewers?.sessions ?? []
        if let index = sessions.firstIndex(where: { $0.id == session }) {
            if clients.isEmpty { sessions.remove(at: index) } else { sessions[index].clients = clients }
        } else if !clients.isEmpty {
            sessions.append((session, clients))
        }
        viewers = Viewers(sessions, told: viewers?.told ?? [])
    }

    /// Returns who looks, where the view model was told something else.
    private mutating func takeViewers() -> [Client]? {
        guard let viewers, viewers.clients != viewers.told else { return nil }
        let clients = viewers.clients
        self.viewers = Viewers(viewers.sessions, told: clients)
        return clients
    }

    /// Returns the hook to call now; nil where none is due, or another caller is calling them. The caller calls it, then
    /// `didCall()`, and asks again.
    mutating func nextHook() -> Hook? {
        guard phase == .started, !isCalling else { return nil }
        if !hasAppeared, audience > 0 {
            (hasAppeared, isCalling) = (true, true)
            return .viewsDidAppear
        }
        if let clients = takeViewers() {
            isCalling = true
            return .viewersDidChange(clients)
        }
        if hasAppeared, audience == 0 {
            (hasAppeared, isCalling) = (false, true)
            return .viewsDidDisappear
        }
        guard mustStop, audience == 0 else { return nil }
        phase = .stopped
        isCalling = true
        return .stop
    }

    mutating func didCall() { isCalling = false }
}

extension AnyViewModel {
    /// Calls the hooks that are due, in the caller's isolation, until none is.
    nonisolated(nonsending) package func callHooks() async {
        while let hook = output.changeLife({ $0.nextHook() }) {
            // The view model's own hooks are called, which saves an asynchronous call.
            switch hook {
            case .viewsDidAppear: await base.viewsDidAppear()
            case .viewersDidChange(let clients):
                await (base as? any PresenceViewModel)?.viewersDidChange(clients)
            case .viewsDidDisappear: await base.viewsDidDisappear()
            case .stop: await base.stop()
            }
            output.changeLife { $0.didCall() }
        }
    }

    /// Notes a session that uses the view model from now on. Called once `start()` has returned to it.
    package func addSession() {
        output.changeLife { $0.addSession() }
    }

    /// Notes that a session of `addSession()` has ended. `callHooks()` must follow.
    package func removeSession() {
        output.changeLife { $0.removeSession() }
    }

    /// Notes that a View is bound, or a session has views. `callHooks()` must follow.
    package func addAudience() {
        output.changeLife { $0.addAudience() }
    }

    /// Notes who looks at a session of a `PresenceViewModel`. `callHooks()` must follow.
    package func setViewers(_ clients: [Client], of session: AnyObject) {
        output.changeLife { $0.setViewers(clients, of: ObjectIdentifier(session)) }
    }

    /// Notes that a View of `addAudience()` is gone, or the last view of a session. `callHooks()` must follow.
    package func removeAudience() {
        output.changeLife { $0.removeAudience() }
    }
}
