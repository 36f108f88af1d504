import Synchronization
package import ViewModels

/// A session that a client opened, with everything that is pushed onto it and presented over it: it knows what is on
/// screen, and its sessions share one container.
///
/// Any thread may call it. Its lock comes before those of its sessions, never after.
package final class Scene: Sendable {
    /// The owner of all its sessions, for the server's counts.
    package let owner: String
    private let context: SceneContext
    private let state = Mutex(SceneState())
    private let made = Mutex<Container?>(nil)

    package init(context: SceneContext, owner: String = "") {
        self.owner = owner
        self.context = context
    }

    /// Inside the registry's container, with the navigation services of this scene. Made when it is first asked for,
    /// since most sessions need none.
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

    /// The session that a client opened; nil before the scene begins and after its end.
    package var root: Session? { state.withLock { $0.root } }

    /// Called once, before anything can be shown.
    package func begin(with root: Session) {
        state.withLock { $0 = SceneState(root: root) }
        // It may have ended just before, when `didEnd` found no root.
        if root.hasEnded { didEnd(root, .closed) }
    }

    /// Makes a view model and its session, which waits for a view, and puts it on top of what is on screen.
    ///
    /// - Throws: `NavigationError`, `SessionError`, or an error of making the view model. Then nothing has changed.
    fileprivate func show<Model: PerRequest & AnyObject>(
        _ type: Model.Type, arguments: Model.Arguments, by transition: Transition
    ) throws {
        let screen = try context.registry.screen(of: type)
        guard !state.withLock({ $0.isOver }) else { throw NavigationError.ended }
        let model = try container.resolve(type, arguments: arguments)
        guard let sessionModel = screen.wrap(model) else { throw NavigationError.notRegistered("\(type)") }
        let session = try context.makeSession(screen.name, sessionModel, self)
        do {
            try add(session, by: transition)
        } catch {
            session.end(.closed)
            throw error
        }
        // No client holds a view of it: it waits for one no longer than any session does.
        ResumeWindow(session: session).begin()
    }

    private func add(_ session: Session, by transition: Transition) throws(NavigationError) {
        let wakeups = try state.withLock { state throws(NavigationError) in
            guard state.count < context.maximumCount else { throw .tooMany(state.count) }
            return try state.add(session, by: transition)
        }
        wakeups.send()
    }

    /// Takes off the session that was pushed or presented last. Does nothing where there is none.
    fileprivate func takeOff(_ transition: Transition) {
        state.withLock { $0.takeOff(transition) }.settle()
    }

    /// Takes a session off, with everything on or over it, unless one of their view models refuses.
    ///
    /// - Throws: the error of a `BackHandling` view model. Then nothing has changed.
    package func goBack(from session: Session) async throws {
        for session in standing(on: session) {
            guard let model = session.backHandling else { continue }
            // Where its handlers run, whichever connection asks.
            let executor = HandlerExecutor.make("willGoBack", of: session)
            try await withTaskExecutorPreference(executor ?? session.context.executor) { try await model.willGoBack() }
        }
        takeOff(session)
    }

    /// No view model needs to be asked before `goBack(from:)`.
    package func canGoBackAtOnce(from session: Session) -> Bool {
        standing(on: session).allSatisfy { $0.backHandling == nil }
    }

    /// Takes a session off, with everything on or over it, without asking any view model.
    package func takeOff(_ session: Session) {
        state.withLock { $0.takeOff(session) }.settle()
    }

    /// How long a session without views is kept by the views on or over it, those that may come back included.
    ///
    /// - Returns: when to look again; nil where none keeps it.
    func timeKept(_ session: Session) -> Duration? {
        standing(on: session).compactMap { ResumeWindow(session: $0).rest }.max()
    }

    /// The session and everything on or over it, topmost first.
    func standing(on session: Session) -> [Session] {
        state.withLock { $0.standing(on: session) }
    }

    /// The session that this one is shown on; nil where it isn't on screen.
    func host(of session: Session) -> Session? {
        state.withLock { $0.host(of: session) }
    }

    /// A session has ended by itself: everything on or over it ends too, and its host numbers that.
    func didEnd(_ session: Session, _ reason: EndReason) {
        state.withLock { $0.didEnd(session, reason) }.settle()
    }
}

/// A view model was made, and its start threw. The server's log says why, and so do messages to the clients that see it, and
/// to those that see its host, who would learn no more than that it is taken off.
struct FailedStart {
    let session: Session
    let error: any Error

    /// Before the session ends.
    func report() {
        let message = "\(session.viewModelName) failed to start: \(error)"
        session.context.warn(message)
        session.report(message)
        guard session.isChild, let host = session.scene?.host(of: session) else { return }
        // Each client once.
        let views = views(of: session)
        for view in self.views(of: host) where !views.contains(where: { $0.viewer === view.viewer }) {
            view.viewer.sessionReports(message, for: view.number)
        }
    }

    private func views(of session: Session) -> [SessionView] { session.state.withLock { $0.feed.views.elements } }
}

/// Everything that the scenes of one executor share.
package final class SceneContext: Sendable {
    /// Makes the session of a view model that is shown.
    package typealias MakeSession = @Sendable (_ name: String, any SessionModel, Scene) throws -> Session

    let registry: Registry
    let maximumCount: Int
    let makeSession: MakeSession

    /// - Parameter maximumCount: how many view models can be on screen at once.
    package init(registry: Registry, maximumCount: Int, makeSession: @escaping MakeSession) {
        self.registry = registry
        self.maximumCount = maximumCount
        self.makeSession = makeSession
    }
}

/// A scene as its view models know it. The scene's container keeps this, and so not the scene, which keeps
/// the container.
private final class SceneNavigator: Navigator {
    private let reference: Mutex<WeakScene>

    init(_ scene: Scene) {
        reference = Mutex(WeakScene(scene: scene))
    }

    private var scene: Scene? { reference.withLock { $0.scene } }

    private struct WeakScene { weak var scene: Scene? }

    func show<Model: PerRequest & AnyObject>(
        _ type: Model.Type, arguments: Model.Arguments, by transition: Transition
    ) throws {
        guard let scene else { throw NavigationError.ended }
        try scene.show(type, arguments: arguments, by: transition)
    }

    func takeOff(_ transition: Transition) {
        scene?.takeOff(transition)
    }
}
