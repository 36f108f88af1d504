package import Contracts
import JSON
import JSONRPC
package import Sessions
import Synchronization
package import Transport
import ViewModels

/// What all connections of one server share: what can be opened, what is open, and the bounds.
///
/// Any thread may call it.
package final class Host: Sendable {
    let name: String
    let version: String
    let registry: Registry
    let limits: Limits
    let log: Log
    private let sharedLimits: SharedLimits
    private let clock: any Clock<Duration>
    private let token: Token?
    /// As they were written, by the names of view models; those of the others come from their types.
    private let contracts: [String: JSONTree]
    private let makeKey: @Sendable () -> String
    private let onParent: @Sendable (Int) -> Void
    private let state = Mutex(State())

    private struct State {
        var sessions: [String: Session] = [:]
        var connections = ConnectionList()
        var allConnections = 0
        var isDraining = false
        /// Of the sessions that have ended, by the names of their view models.
        var endedEvents: [String: Int] = [:]
        /// A loop each; it keeps the loop, so its identifier is nobody else's.
        var contexts: [ObjectIdentifier: (session: SessionContext, scene: SceneContext)] = [:]
    }

    /// - Parameters:
    ///   - token: what `initialize` must carry; nil lets everyone in.
    ///   - contracts: what `viewModel/describe` answers, by the names of view models; without one, what their types say.
    ///   - clock: measures the resume window and the grace periods.
    ///   - makeKey: makes session keys, which nobody must be able to guess.
    ///   - onParent: called with the process that a client on stdio says it is.
    package init(
        name: String = "view-model-server",
        version: String = "0.1.0",
        registry: Registry,
        limits: Limits = Limits(),
        token: Token? = nil,
        contracts: [String: JSONTree] = [:],
        log: Log = Log(),
        clock: any Clock<Duration> = ContinuousClock(),
        makeKey: @escaping @Sendable () -> String = { SessionKey.random() },
        onParent: @escaping @Sendable (Int) -> Void = { _ in }
    ) {
        self.name = name
        self.version = version
        self.registry = registry
        self.limits = limits
        sharedLimits = SharedLimits(limits)
        self.token = token
        self.contracts = contracts
        self.log = log
        self.clock = clock
        self.makeKey = makeKey
        self.onParent = onParent
    }

    /// Serves one client until either side ends the connection. Called on the stream's loop.
    ///
    /// - Parameters:
    ///   - isProcess: the process is this client's alone, so `processId` is watched.
    ///   - door: where the client may speak HTTP as well; nil where it may not.
    ///   - onClose: called once, on the loop, with the status that such a process ends with.
    package func serve(
        _ stream: any ByteStream, isProcess: Bool = false, door: FrontDoor? = nil,
        onClose: @escaping @Sendable (Int32) -> Void = { _ in }
    ) {
        let connection = Connection(stream, host: self, isProcess: isProcess, door: door)
        connection.onClose = onClose
        connection.place = state.withLock { [handle = connection.handle] state in
            state.allConnections += 1
            return state.connections.add(handle)
        }
        // The stream keeps the connection as its handler until it is closed.
        stream.start()
    }

    /// - Parameter isClient: false for one that turned out to speak HTTP alone.
    func remove(_ connection: Connection, isClient: Bool) {
        state.withLock { [place = connection.place] state in
            state.connections.remove(at: place)
            if !isClient { state.allConnections -= 1 }
        }
    }

    /// What may be said to and by a view model; nil when there is none of this name.
    func contract(of name: String) -> JSONTree? {
        guard let types = registry.types(of: name) else { return nil }
        if let contract = contracts[name] { return contract }
        var builder = ContractBuilder()
        return builder.contract(of: types).json
    }

    func accepts(token given: String?) -> Bool {
        token?.matches(given) ?? true
    }

    func watchParent(_ processID: Int) {
        onParent(processID)
    }

    func session(withKey key: String) -> Session? {
        state.withLock { $0.sessions[key] }
    }

    /// A session of its own container for a client; nil when no view model has this name.
    func makeSession(
        _ name: String, arguments: JSONValue?, at path: JSONPointer, on loop: EventLoop
    ) throws(RPCError) -> Session? {
        let contexts = contexts(of: loop)
        let scene = Scene(context: contexts.scene)
        let model: (any SessionModel)?
        do throws(JSONCodingError) {
            model = try registry.host(name, arguments: arguments, at: path, in: scene.container)
        } catch {
            throw .invalidParams(error)
        }
        guard let model else { return nil }
        do throws(SessionError) {
            let session = try makeSession(name, model, in: scene, isChild: false, contexts.session)
            scene.begin(with: session)
            return session
        } catch {
            throw RPCError(error)
        }
    }

    private func makeSession(
        _ name: String, _ model: any SessionModel, in scene: Scene, isChild: Bool, _ context: SessionContext
    ) throws(SessionError) -> Session {
        let session = Session(
            key: makeKey(), viewModelName: name, host: model, scene: scene, isChild: isChild, context: context)
        let isHosted = state.withLock { state in
            guard state.sessions.count < limits.hostedSessions else { return false }
            state.sessions[session.key] = session
            return true
        }
        guard isHosted else {
            let message = "the server hosts \(limits.hostedSessions) sessions; try again when others have ended"
            throw .limitExceeded(limit: "hostedSessions", message: message)
        }
        return session
    }

    /// What the sessions and scenes of a loop share, made with the first of them.
    private func contexts(of loop: EventLoop) -> (session: SessionContext, scene: SceneContext) {
        state.withLock { state in
            let id = ObjectIdentifier(loop)
            if let contexts = state.contexts[id] { return contexts }
            let session = SessionContext(
                executor: loop, limits: sharedLimits, clock: clock, turn: { loop.jobNumber },
                onEnd: { [weak self] session in self?.forget(session) })
            let scene = SceneContext(registry: registry, maximumCount: limits.screens) {
                [weak self] name, model, scene in
                guard let self else { throw NavigationError.ended }
                return try makeSession(name, model, in: scene, isChild: true, session)
            }
            state.contexts[id] = (session, scene)
            return (session, scene)
        }
    }

    private func forget(_ session: Session) {
        let newest = session.summary.newest
        state.withLock { state in
            guard state.sessions.removeValue(forKey: session.key) != nil else { return }
            state.endedEvents[session.viewModelName, default: 0] += newest
        }
    }

    /// Whether the server is about to end.
    package var isDraining: Bool { state.withLock { $0.isDraining } }

    /// What there is and was.
    var counts: HostCounts {
        let (sessions, ended, connections, all) = state.withLock { state in
            (Array(state.sessions.values), state.endedEvents, state.connections.all.count, state.allConnections)
        }
        var counts = HostCounts(connections: connections, allConnections: all)
        for (name, events) in ended { counts.models[name, default: .init()].events += events }
        for session in sessions {
            let (newest, views) = session.summary
            counts.models[session.viewModelName, default: .init()].add(events: newest, views: views)
        }
        return counts
    }

    /// Runs `work` on a loop after a time of the host's clock, unless the task is cancelled before.
    func after(_ delay: Duration, on loop: EventLoop, _ work: @escaping @Sendable () -> Void) -> Task<Void, Never> {
        Task(executorPreference: loop) { [clock] in
            do {
                try await clock.sleep(for: delay)
            } catch {
                return
            }
            work()
        }
    }

    /// Ends everything in good order: what was read is answered, every view is told, everything is written. Takes no
    /// longer than two grace periods, whatever handlers and clients do.
    package func drain() async {
        let connections = state.withLock { state in
            state.isDraining = true
            return state.connections.all
        }
        await all(connections) { connection, done in connection.drain(whenQuiet: done) }
        // What stands on a session ends with it.
        for session in state.withLock({ $0.sessions.values.filter { !$0.isChild } }) { session.end(.serverShutdown) }
        for session in state.withLock({ Array($0.sessions.values) }) { session.end(.serverShutdown) }
        await all(connections) { connection, done in
            connection.whenClosed(done)
            connection.conclude()
        }
    }

    /// Waits until each connection has called its `done` or is gone, or for the grace period.
    private func all(
        _ connections: [ConnectionHandle],
        _ body: @escaping @Sendable (Connection, _ done: @escaping @Sendable () -> Void) -> Void
    ) async {
        let latch = Latch(count: connections.count)
        for handle in connections {
            handle.perform({ body($0) { latch.countDown() } }, gone: { latch.countDown() })
        }
        let timer = Task { [clock, grace = limits.drainGrace] in
            // A cancelled sleep has nothing left to wait for either.
            try? await clock.sleep(for: grace)
            latch.open()
        }
        await latch.wait()
        timer.cancel()
    }
}
