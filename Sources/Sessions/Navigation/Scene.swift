import Synchronization
package import ViewModels

/// A session that a client opened, with all that is pushed onto it and presented over it: it knows what is on screen, and
/// its sessions share one container.
///
/// Any thread may call it. Its lock comes before those of its sessions, never after.
package final class Scene: Sendable {
    private let context: SceneContext
    private let state = Mutex(SceneState())
    private let made = Mutex<Container?>(nil)

    package init(context: SceneContext) {
        self.context = context
    }

    /// Inside the registry's: it has the navigation services of this scene. Made when it is first asked for, since most
    /// sessions need none.
    package var container: Container {
        made.withLock { made in
            if let made { return made }
            let container = Container(in: context.registry.container)
            let navigator = SceneNavigator(self)
            container.register((any Navigator).self) { _ in navigator }
            made = container
            return container
        }
    }

    /// Called once, before anything can be shown.
    package func begin(with root: Session) {
        state.withLock { $0 = SceneState(root: root) }
        // It may have ended just before, when nobody could be told.
        if root.hasEnded { didEnd(root, .closed) }
    }

    /// Makes a view model and its session, which waits for a view, and tells its host.
    ///
    /// - Throws: `NavigationError`, `SessionError`, or what making the view model throws. Then nothing has changed.
    func show<Model: PerRequest & AnyObject>(
        _ type: Model.Type, arguments: Model.Arguments, by transition: Transition
    ) throws {
        guard let screen = context.registry.screen(of: type) else { throw NavigationError.notRegistered("\(type)") }
        guard !state.withLock({ $0.isOver }) else { throw NavigationError.ended }
        let model = try container.resolve(type, arguments: arguments)
        guard let host = screen.host(model) else { throw NavigationError.notRegistered("\(type)") }
        let session = try context.makeSession(screen.name, host, self)
        do {
            try add(session, by: transition)
        } catch {
            session.end(.closed)
            throw error
        }
        // Nobody holds a view of it: it waits for one no longer than any session does.
        session.beginExpiry()
    }

    private func add(_ session: Session, by transition: Transition) throws(NavigationError) {
        let news = try state.withLock { state throws(NavigationError) in
            guard state.count < context.maximumCount else { throw .tooMany(state.count) }
            return try state.add(session, by: transition)
        }
        for news in news { news.tell() }
    }

    /// Takes off what was pushed or presented last, where there is any.
    func takeOff(_ transition: Transition) {
        state.withLock { $0.takeOff(transition) }.settle()
    }

    /// Takes a session off, with all that stands on it or over it, unless one of them refuses.
    ///
    /// - Throws: what a `BackHandling` view model throws. Then nothing has changed.
    package func goBack(from session: Session) async throws {
        for session in standing(on: session) {
            guard let model = session.backHandling else { continue }
            // Where its handlers run, whoever's connection asks.
            try await withTaskExecutorPreference(session.context.executor) { try await model.willGoBack() }
        }
        takeOff(session)
    }

    /// Nobody needs to be asked before `session` is left.
    package func canLeaveAtOnce(_ session: Session) -> Bool {
        standing(on: session).allSatisfy { $0.backHandling == nil }
    }

    /// The same without asking anybody.
    package func takeOff(_ session: Session) {
        state.withLock { $0.takeOff(session) }.settle()
    }

    /// What keeps a session that has no views: a view on anything that stands on it, or one that may come back there.
    ///
    /// - Returns: when to look again; nil where nothing keeps it.
    func timeKept(_ session: Session) -> Duration? {
        standing(on: session).compactMap { $0.timeKept }.max()
    }

    /// It and all that stands on it or over it, topmost first.
    private func standing(on session: Session) -> [Session] {
        state.withLock { $0.standing(on: session) }
    }

    /// A session has ended by itself: with it ends what stands on it, and its host is told.
    func didEnd(_ session: Session, _ reason: EndReason) {
        state.withLock { $0.didEnd(session, reason) }.settle()
    }
}
