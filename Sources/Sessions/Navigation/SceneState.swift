import Synchronization
import ViewModels

/// The screens of one scene, and their sessions. Pure; its `Scene` guards it, and acts on what it
/// returns with no lock held.
struct SceneState {
    /// Sessions that were taken off. Their hosts' views have yet to be woken, and they themselves have yet to end.
    struct Removed {
        var wakeups: [Wakeups] = []
        /// The sessions that were taken off, topmost first, each with the reason.
        var sessions: [(session: Session, reason: EndReason)] = []
        /// The session that numbers the last removal, and stays on screen; or the root, where its end has yet to be stored.
        var host: Session?

        func settle() {
            for wakeups in wakeups { wakeups.send() }
            let waits = host?.isDurable == true && !sessions.isEmpty
            if waits { for (session, _) in sessions { session.state.withLock { $0.feed.holdEnd() } } }
            for (session, reason) in sessions { session.takeOff(reason) }
            guard waits, let host else { return }
            // The next life of the scene has them on screen until the change is stored, so nobody is told before.
            TurnCommitter(session: host).whenStored { [sessions] outcome in
                for (session, _) in sessions { StoredEnd(of: session).release(outcome, on: host) }
            }
        }
    }

    /// The root; nil before the scene begins and after its end.
    private(set) var root: Session?
    /// What is on screen, by the sessions' keys; nil as long as nothing was shown, which for most sessions is always.
    private var tree: NavigationTree<String>?
    private var sessions: [String: Session] = [:]

    init() {}

    init(root: Session) {
        self.root = root
    }

    /// Makes the state of a scene that was stored.
    ///
    /// - Parameter shown: the other sessions, in the order in which they came on screen, each with its transition.
    init(root: Session, shown: [(session: Session, transition: Transition)]) {
        self.init(root: root)
        guard !shown.isEmpty else { return }
        var tree = NavigationTree(root: root.key)
        sessions = [root.key: root]
        for (session, transition) in shown {
            _ = transition == .push ? tree.push(session.key) : tree.present(session.key)
            sessions[session.key] = session
        }
        self.tree = tree
    }

    /// Every session on screen.
    var allSessions: [Session] { tree == nil ? [root].compactMap(\.self) : Array(sessions.values) }

    /// Whether any session on screen has views; and, if none has, when one lost its last view.
    var views: (are: Bool, lastDetached: Duration?) {
        guard tree != nil else { return root.map { ResumeWindow(session: $0).views } ?? (false, nil) }
        var lastDetached: Duration?
        // In no particular order: if a thousand sessions lose their views together, each soon comes to one that still has some.
        for session in sessions.values {
            let views = ResumeWindow(session: session).views
            if views.are { return views }
            lastDetached = lastDetached ?? views.lastDetached
        }
        return (false, lastDetached)
    }

    /// Returns what is on and over a session; nil where nothing is.
    func navigation(of session: Session) -> HostNavigation? {
        guard let tree else { return nil }
        var navigation = HostNavigation()
        for key in tree.stack(on: session.key) {
            if let child = sessions[key] { navigation.apply(NavigationChange(.push, NavigationChild(child))) }
        }
        if let key = tree.presented(over: session.key), let child = sessions[key] {
            navigation.apply(NavigationChange(.present, NavigationChild(child)))
        }
        return navigation.isEmpty ? nil : navigation
    }

    var isOver: Bool { root == nil }

    /// How many sessions are on screen.
    var count: Int { max(sessions.count, root == nil ? 0 : 1) }

    /// Puts a session on top, and numbers that in its host's log.
    ///
    /// - Returns: the wakeups of the host's views.
    /// - Throws: `ended` where there is no root.
    mutating func add(_ session: Session, by transition: Transition) throws(NavigationError) -> Wakeups {
        guard let root else { throw .ended }
        if tree == nil {
            tree = NavigationTree(root: root.key)
            sessions = [root.key: root]
        }
        let isPushed = transition == .push
        guard let host = isPushed ? tree?.push(session.key) : tree?.present(session.key) else { throw .ended }
        sessions[session.key] = session
        let change = NavigationChange(isPushed ? .push : .present, NavigationChild(session))
        return sessions[host]?.append(change) ?? Wakeups()
    }

    /// Returns the session and everything on or over it, topmost first.
    func standing(on session: Session) -> [Session] {
        guard let tree else { return session === root ? [session] : [] }
        guard sessions[session.key] === session else { return [] }
        return tree.screens(above: session.key).compactMap { sessions[$0] } + [session]
    }

    func host(of session: Session) -> Session? {
        tree?.host(of: session.key).flatMap { sessions[$0] }
    }

    mutating func takeOff(_ transition: Transition) -> Removed {
        guard let key = transition == .push ? tree?.popped : tree?.dismissed else { return Removed() }
        return takeOff(key)
    }

    mutating func takeOff(_ session: Session) -> Removed {
        takeOff(session.key)
    }

    /// Takes off a session that ended by itself. With the root all others end, and no host needs to number that.
    mutating func didEnd(_ session: Session, _ reason: EndReason) -> Removed {
        guard !session.isChild else { return takeOff(session.key) }
        var removed = Removed()
        for session in standing(on: session) {
            removed.sessions.append((session, reason == .serverShutdown ? .serverShutdown : .closed))
        }
        if session.state.withLock({ $0.feed.holdsEnd }) { removed.host = session }
        self = SceneState()
        return removed
    }

    /// Takes off a session, with everything on or over it. Each removal is numbered in its host's log, the topmost first.
    private mutating func takeOff(_ key: String) -> Removed {
        var removed = Removed()
        for removal in tree?.remove(key) ?? [] {
            guard let session = sessions.removeValue(forKey: removal.screen) else { continue }
            let isPushed = removal.transition == .push
            if let host = removal.host.flatMap({ sessions[$0] }) {
                let change = NavigationChange(isPushed ? .pop : .dismiss, NavigationChild(session))
                removed.wakeups.append(host.append(change))
                removed.host = host
            }
            removed.sessions.append((session, isPushed ? .popped : .dismissed))
        }
        return removed
    }
}

extension NavigationChild {
    fileprivate init(_ session: Session) { self.init(key: session.key, viewModel: session.viewModelName) }
}
