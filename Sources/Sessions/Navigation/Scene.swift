import Synchronization
package import ViewModels

/// A session that a client opened, with everything that is pushed onto it and presented over it. The scene knows what is on
/// screen, and its sessions share one container.
///
/// Any thread may call it. Its lock is taken before those of its sessions, never after.
package final class Scene: Sendable {
    /// The owner of all its sessions, for the server's counts.
    package let owner: String
    /// The person for whom the root was opened, whose sessions it finds.
    package let person: String
    /// Which clients find the root by opening its view model.
    package let scope: SessionScope
    /// Stores the sessions of the scene; nil where the root isn't durable.
    package let committer: SceneCommitter?
    private let context: SceneContext
    private let state = Mutex(SceneState())
    private let made = Mutex<Container?>(nil)
    /// The barrier for the view models of a scene that was stored.
    let resumption = Resumption()
    /// Whether the sessions end in memory alone.
    private let isLeaving = Atomic<Bool>(false)
    private let isAboveShare = Atomic<Bool>(false)

    package init(
        context: SceneContext, owner: String = "", person: String = "", scope: SessionScope = .each,
        committer: SceneCommitter? = nil
    ) {
        self.owner = owner
        self.person = person
        self.scope = scope
        self.context = context
        self.committer = committer
    }

    var registry: Registry { context.registry }

    /// Whether the owner holds more than its share while memory runs short, so that view events are refused.
    package var takesNoMore: Bool {
        get { isAboveShare.load(ordering: .relaxed) }
        set { isAboveShare.store(newValue, ordering: .relaxed) }
    }

    /// The scene's container, inside the registry's, with the navigation services of this scene. Made when it is first asked
    /// for, since most sessions need none.
    package var container: Container {
        made.withLock { made in
            if let made { return made }
            let container = Container(in: context.registry.container)
            let navigator = SceneNavigator(self)
            container.register((any Navigator).self) { _ in navigator }
            if let committer {
                container.watchSingletons { [weak self] singleton in
                    do {
                        try committer.add(singleton)
                    } catch {
                        self?.reportUnread(error)
                        throw error
                    }
                }
            }
            made = container
            return container
        }
    }

    /// Warns that a shared object couldn't be made, so that its values stay in the store. Where a handler asks for the object,
    /// the event's error says so to its client alone.
    private func reportUnread(_ error: any Error) {
        guard let root else { return }
        let session = "\(root.viewModelName): session \(root.key.prefix(8))…"
        root.context.warn("\(session) can't have a shared object, whose values stay in the store: \(error)")
    }

    /// The session that a client opened; nil before the scene begins and after its end.
    package var root: Session? { state.withLock { $0.root } }

    /// Begins the scene. Called once, before anything can be shown.
    package func begin(with root: Session) {
        committer?.begin(self, root: root.key)
        state.withLock { $0 = SceneState(root: root) }
        // The root may have ended just before, when `didEnd` found no root.
        if root.hasEnded { didEnd(root, .closed, isRemoved: true) }
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
        let text = try committer == nil || !sessionModel.isDurable ? nil : StoredArguments.encode(arguments)
        let session = try context.makeSession(screen.name, sessionModel, self, text, transition)
        let header = committer.flatMap { committer in root.map { ($0, committer) } }.map { root, committer in
            StoredSession.Header(
                key: session.key, scene: root.key, viewModel: screen.name, arguments: text,
                argumentsVersion: OlderArguments.version(of: Model.Arguments.self),
                shownBy: transition == .push ? .push : .present, isDurable: sessionModel.isDurable)
        }
        do {
            try add(session, header, by: transition)
        } catch {
            session.end(.closed)
            throw error
        }
        // No client holds a view of it yet. It waits for one no longer than any session does.
        ResumeWindow(session: session).begin()
    }

    private func add(
        _ session: Session, _ header: StoredSession.Header?, by transition: Transition
    ) throws(NavigationError) {
        let wakeups = try state.withLock { state throws(NavigationError) in
            guard state.count < context.maximumCount else { throw .tooMany(state.count) }
            // This comes before its host can hand over that the session is there.
            if let header { committer?.noteShown(header) }
            let wakeups = try state.add(session, by: transition)
            let host = state.host(of: session)
            committer?.noteHost(of: session, host?.isDurable == true ? host : nil)
            return wakeups
        }
        wakeups.send()
    }

    /// Begins a scene that was stored, with its sessions in the order in which they came on screen.
    ///
    /// Sessions that aren't durable are known by their headers alone, and are taken off again, which is numbered in the logs of
    /// their hosts.
    package func begin(with root: Session, shown: [(session: Session, transition: Transition)]) {
        committer?.begin(self, root: root.key)
        let navigation = state.withLock { state in
            state = SceneState(root: root, shown: shown)
            let hosts = shown.compactMap { shown in state.host(of: shown.session).map { (shown.session.key, $0.key) } }
            committer?.restore(Dictionary(hosts) { first, _ in first })
            // Also where nothing is on or over a session any more: a view that was away is told what there was when it left.
            return state.allSessions.map { ($0, state.navigation(of: $0) ?? HostNavigation()) }
        }
        resumption.begin(navigation.map(\.0))
        for (session, navigation) in navigation {
            session.state.withLock { $0.feed.restore(navigation) }
        }
    }

    /// Has the view models of a stored scene go on, all at once, as they may have something to do with each other. Called for
    /// the first view, which is told of failures, or without one. Does nothing when it was called before.
    package func resume() {
        guard resumption.start(), let root else { return }
        for session in standing(on: root).reversed() {
            _ = session.open(ready: {}, failed: { _ in }, started: {})
            // Perhaps no view ever comes.
            ResumeWindow(session: session).begin()
        }
    }

    /// Takes all sessions out of memory, where they have no views and nothing runs in them. They are made again when a view is
    /// attached, by the server that is asked.
    ///
    /// - Returns: whether they have left.
    package func leaveMemory() -> Bool {
        guard let root else { return false }
        var leaving: [Session] = []
        let sessions = state.withLock { $0.allSessions }
        // This comes before any of them is held up, as each of a thousand sessions may ask.
        guard sessions.allSatisfy({ $0.state.withLock { $0.mayLeave } }) else { return false }
        // A view that comes meanwhile is refused: it would belong to no life of its session.
        for session in sessions {
            guard session.state.withLock({ $0.beginLeaving() }) else {
                for session in leaving { stay(session) }
                return false
            }
            leaving.append(session)
        }
        use()
        // This comes before they are seen to have left: a client that comes then has the scene read after this.
        committer?.release()
        endLife(of: root)
        return true
    }

    private func stay(_ session: Session) {
        session.state.withLock { $0.isLeaving = false }
        // Handles and saves what came meanwhile.
        HandlerRunner(session: session).wake()
        if session.isDurable { TurnCommitter(session: session).save() }
    }

    /// Ends all sessions in memory when the server ends. They stay stored.
    package func endLife(from root: Session) {
        use()
        endLife(of: root)
    }

    private func endLife(of root: Session) {
        isLeaving.store(true, ordering: .relaxed)
        let sessions = standing(on: root)
        // The root comes first, as it shows that the scene has left.
        for session in sessions.reversed() { session.state.withLock { $0.kept?.staysStored = true } }
        committer?.leave()
        for session in sessions { SessionEviction(session: session).leave() }
    }

    /// Ends all sessions in memory, since one of them can't go on: what its handler did to shared objects must not get into the
    /// turn of another. They go on from what was stored last when a view is attached. Does nothing where they leave already.
    func fail(at session: Session, _ failure: SessionError?) {
        guard !isLeaving.exchange(true, ordering: .relaxed) else { return }
        // This comes before the end is seen: a client that comes then has the scene read after this.
        committer?.release(after: "\(session.viewModelName) failed")
        var sessions = root.map { standing(on: $0) } ?? []
        if !sessions.contains(where: { $0 === session }) { sessions.append(session) }
        for session in sessions.reversed() { session.state.withLock { $0.kept?.staysStored = true } }
        for session in sessions { SessionEviction(session: session).leave(after: failure) }
    }

    /// Ends all sessions in memory, since they go on at another server: nothing more of them is told here, and their clients
    /// come back.
    package func lose() {
        guard let root else { return }
        isLeaving.store(true, ordering: .relaxed)
        let sessions = standing(on: root)
        for session in sessions.reversed() { session.state.withLock { $0.kept?.staysStored = true } }
        for session in sessions { SessionEviction(session: session).lose() }
    }

    /// Keeps the scene in the store for the whole `storedTime` from now on.
    package func use() {
        if let root { committer?.use(every: root.limits.usePeriod) }
    }

    /// Returns all sessions on screen but one.
    func sessions(beside session: Session) -> [Session] {
        state.withLock { $0.allSessions }.filter { $0 !== session }
    }

    /// Takes off the session that was pushed or presented last. Does nothing where there is none.
    fileprivate func takeOff(_ transition: Transition) {
        state.withLock { $0.takeOff(transition) }.settle()
    }

    /// Takes a session off, with everything on or over it, unless one of their view models refuses. Returns when the views are
    /// told: for a durable session, once the change is stored.
    ///
    /// - Throws: the error of a `BackHandling` view model; then nothing has changed. `SessionError`, where the change can't be
    ///   stored.
    package func goBack(from session: Session) async throws {
        if let failure = StoredEnd(of: session).failure { throw failure }
        for session in standing(on: session) {
            guard let model = session.backHandling else { continue }
            // It is called where the session's handlers run, whichever connection asks. In a task of its own: within this one,
            // the call would go on where this function runs, and hold its loop if it blocks.
            let executor = HandlerExecutor.make("willGoBack", of: session)
            try await Task(executorPreference: executor ?? session.context.executor) {
                do { try await model.willGoBack() } catch { throw ToldError.telling(error) }
            }.value
        }
        takeOff(session)
        // Also where another client has taken it off just before.
        let outcome = await withUnsafeContinuation { continuation in
            StoredEnd(of: session).whenTold { continuation.resume(returning: $0) }
        }
        if let error = outcome.error { throw error }
    }

    /// Whether `goBack(from:)` has no view model to ask, and nothing to wait for.
    package func canGoBackAtOnce(from session: Session) -> Bool {
        !session.isDurable && standing(on: session).allSatisfy { $0.backHandling == nil }
    }

    /// Takes a session off, with everything on or over it, without asking any view model.
    package func takeOff(_ session: Session) {
        state.withLock { $0.takeOff(session) }.settle()
    }

    /// Asks for how long a session without views is kept by the views on or over it, also by those that may come back.
    ///
    /// - Returns: the time after which to ask again; nil where no view keeps the session.
    func timeKept(_ session: Session) -> Duration? {
        standing(on: session).compactMap { ResumeWindow(session: $0).rest }.max()
    }

    /// Whether any session on screen has views; and, if none has, when the last of them was lost.
    var views: (are: Bool, lastDetached: Duration?) { state.withLock { $0.views } }

    /// Returns the session and everything on or over it, topmost first.
    func standing(on session: Session) -> [Session] {
        state.withLock { $0.standing(on: session) }
    }

    /// Returns the session that this one is shown on; nil where it isn't on screen.
    func host(of session: Session) -> Session? {
        state.withLock { $0.host(of: session) }
    }

    /// Notes that a session has ended by itself. Everything on or over it ends, too, and its host numbers that.
    ///
    /// - Parameters:
    ///   - isRemoved: whether a durable session is removed from the store, too.
    ///   - holdsEnd: whether nobody is told of the end until it is stored.
    func didEnd(_ session: Session, _ reason: EndReason, isRemoved: Bool, holdsEnd: Bool = false) {
        resumption.end(session)
        let isLeaving = isLeaving.load(ordering: .relaxed)
        let host = session.isChild ? host(of: session) : nil
        // A session that leaves memory stays on screen.
        if !session.isChild || !isLeaving { state.withLock { $0.didEnd(session, reason) }.settle() }
        let release: StoreCompletion? = holdsEnd ? { @Sendable in StoredEnd(of: session).release($0, on: host) } : nil
        let isRoot = !session.isChild
        committer?.didEnd(
            session, isRemoved: session.isDurable ? isRemoved : !isLeaving, isTakenOff: !isLeaving,
            then: isRoot ? release : nil)
        // A child's end is stored with the turn of its host. A child without a host was never on screen.
        guard !isRoot, let release else { return }
        if let host { TurnCommitter(session: host).whenStored(release) } else { release(.stored) }
    }
}

/// A failed start of a view model. The server's log says why, and so do messages to the clients that see the view model, and to
/// those that see its host, who would else learn only that it is taken off.
struct FailedStart {
    let session: Session
    let error: any Error

    /// Reports the failure. Called before the session ends.
    func report() {
        let message = "\(session.viewModelName) failed to start: \(error)"
        // The beginning of its key, as for `sessions show`: the whole is a secret.
        let name = "\(session.viewModelName): session \(session.key.prefix(8))…"
        session.context.warn(
            session.isRestored ? "\(name) can't go on, and stays in the store: \(error)" : message)
        session.report(message)
        guard session.isChild, let host = session.scene?.host(of: session) else { return }
        // Each client is told once.
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
    package typealias MakeSession =
        @Sendable (_ name: String, any SessionModel, Scene, _ arguments: [UInt8]?, Transition) throws -> Session

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

/// The navigator that a scene's view models use. The scene's container keeps the navigator. So the navigator doesn't keep the
/// scene, which keeps the container.
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
