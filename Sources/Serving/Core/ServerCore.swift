package import Contracts
import JSON
import JSONRPC
package import Sessions
import Synchronization
package import Transport
import ViewModelProtocol
import ViewModels

/// The parts that all connections of one server share: the registry, the sessions, the connections and the limits.
///
/// Any thread may call it.
// Over 400 lines because the bounds of all clients together are kept under its one lock.
package final class ServerCore: Sendable {
    package let name: String
    let version: String
    package let registry: Registry
    let limits: Limits
    let log: Log
    /// Holds the unfinished messages and requests of all clients.
    let inputBudget: InputBudget
    private let sharedLimits: SharedLimits
    let clock: any Clock<Duration>
    private let token: Token?
    /// Contracts that were read from files, by the names of view models. The others are made from their types.
    private let contracts: [String: JSONTree]
    private let makeKey: @Sendable () -> String
    private let onParent: @Sendable (Int) -> Void
    private let record: @Sendable (any ByteStream) -> any ByteStream
    private let memoryWatch = Mutex<MemoryWatch?>(nil)
    private let state = Mutex(State())

    private struct State {
        var sessions = HostedSessions()
        /// Sessions without views that ended since there was too much.
        var abandonedEnded = 0
        var openings = RepeatableOpenings()
        var connections = ConnectionList()
        var allConnections = 0
        var isDraining = false
        /// How often each limit was exceeded, by its name.
        var exceeded: [String: Int] = [:]
        /// Errors that clients were answered.
        var errors: [ErrorCode: Int] = [:]
        /// Events of the sessions that have ended, by the names of their view models.
        var endedEvents: [String: Int] = [:]
        /// By loop. Each keeps its loop, so no other loop can have the same identifier.
        var contexts: [ObjectIdentifier: (session: SessionContext, scene: SceneContext)] = [:]
    }

    /// - Parameters:
    ///   - token: the secret that `initialize` must carry; nil lets everybody in.
    ///   - contracts: the answers to `viewModel/describe`, by the names of view models. Others are made from types.
    ///   - clock: measures the resume window and the grace periods.
    ///   - makeKey: makes session keys, which nobody must be able to guess.
    ///   - onParent: called with the process id that a client on stdio gives as its own.
    ///   - record: wraps the stream of each conversation that is to be recorded.
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
        onParent: @escaping @Sendable (Int) -> Void = { _ in },
        record: @escaping @Sendable (any ByteStream) -> any ByteStream = { $0 }
    ) {
        self.name = name
        self.version = version
        self.registry = registry
        self.limits = limits
        inputBudget = InputBudget(maximumBytes: limits.unfinishedBytes)
        sharedLimits = SharedLimits(limits)
        self.token = token
        self.contracts = contracts
        self.log = log
        self.clock = clock
        self.makeKey = makeKey
        self.onParent = onParent
        self.record = record
        sharedLimits.kept.whenFull { [weak self] in
            while let self, sharedLimits.kept.isFull, makeRoom(16, for: nil, "keptBytes") > 0 {}
        }
    }

    /// Has the memory of the process watched, which is its owner's to say: no other server in it is.
    package func watchMemory(_ watch: MemoryWatch) {
        memoryWatch.withLock { $0 = watch }
    }

    /// Serves one client until either side ends the connection. Called on the stream's loop.
    ///
    /// - Parameters:
    ///   - isProcess: the process is this client's alone, so it ends with the `processId` that the client gives.
    ///   - isPatient: the client harms nobody else by being slow, so it has as much time as it likes; nil: where the process
    ///     is its alone.
    ///   - onClose: called once, on the loop, with the exit status of such a process.
    package func serve(
        _ stream: any ByteStream, isProcess: Bool = false, isPatient: Bool? = nil,
        onClose: @escaping @Sendable (Int32) -> Void = { _ in }
    ) {
        let owner = Owner(ofPeer: stream.peerDescription)
        if !isProcess, let exceeded = exceededLimit(of: owner) { return refuse(stream, exceeded) }
        let stream = record(stream)
        let connection = Connection(
            stream, core: self, isProcess: isProcess, isPatient: isPatient ?? isProcess, onClose: onClose)
        connection.index = state.withLock { [handle = connection.handle] state in
            state.allConnections += 1
            return state.connections.add(handle, of: owner.name)
        }
        // The stream keeps the connection as its handler until it is closed.
        stream.start()
    }

    private func exceededLimit(of owner: Owner) -> (name: String, message: String)? {
        let (all, own) = state.withLock { ($0.connections.count, $0.connections.count(of: owner.name)) }
        return owner.exceededLimit(limits, connections: all, own: own)
    }

    /// Closes a stream with an error. Its framing isn't known, so the error is a line.
    private func refuse(_ stream: any ByteStream, _ exceeded: (name: String, message: String)) {
        didRefuse(stream.peerDescription, exceeded.name, exceeded.message)
        let error = RPCError.limitExceeded(exceeded.name, exceeded.message, retryAfterMilliseconds: 1_000)
        stream.handler = nil
        stream.start()
        ScratchWriter.with { writer in
            MessageEncoder.response(nil, into: &writer, error: error)
            writer.withUnsafeBytes { text in
                let encoder = FrameEncoder(stream.carriesMessages ? nil : .lines)
                stream.write { encoder.append(text, to: &$0) }
            }
        }
        stream.finish()
    }

    /// Called once for each connection, when it is closed.
    func remove(_ connection: Connection) {
        state.withLock { [index = connection.index] state in state.connections.remove(at: index) }
        noteMemory()
    }

    /// The contract of a view model; nil when there is none of this name.
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

    /// The session that an opening has made; nil where it has made none, or one that has ended.
    ///
    /// - Throws: `InvalidParams` where its `once` has made another one.
    func session(of opening: RepeatableOpening) throws(RPCError) -> Session? {
        try state.withLock { state throws(RPCError) in try state.openings.session(of: opening) }
    }

    /// Finds a new session by its opening from now on. Where the same opening has come on two connections at once, the
    /// session that was first is returned, and this one ends.
    ///
    /// - Throws: `InvalidParams` where its `once` has made another one.
    func keep(_ session: Session, of opening: RepeatableOpening) throws(RPCError) -> Session {
        do throws(RPCError) {
            let kept = try state.withLock { state throws(RPCError) in
                if let first = try state.openings.session(of: opening) { return first }
                if state.sessions[session.key] != nil { state.openings.add(opening, session) }
                return session
            }
            if kept !== session { session.end(.closed) }
            return kept
        } catch {
            session.end(.closed)
            throw error
        }
    }

    /// Makes a session with a container of its own. Nil when no view model has this name.
    func makeSession(
        _ name: String, arguments: JSONValue?, at path: JSONPointer, for owner: String, on loop: EventLoop
    ) throws(RPCError) -> Session? {
        let contexts = contexts(of: loop)
        let scene = Scene(context: contexts.scene, owner: owner)
        let model: (any SessionModel)?
        do throws(JSONCodingError) {
            model = try registry.sessionModel(name, arguments: arguments, at: path, in: scene.container)
        } catch {
            throw .invalidParams(error)
        }
        guard let model else { return nil }
        do throws(SessionError) {
            let session = try makeSession(name, model, in: scene, isChild: false, contexts.session)
            if let arguments { KeptBytes.note(argumentBytes: arguments.text.count, of: session) }
            scene.begin(with: session)
            return session
        } catch {
            throw RPCError(error)
        }
    }

    private func makeSession(
        _ name: String, _ model: any SessionModel, in scene: Scene, isChild: Bool, _ context: SessionContext
    ) throws(SessionError) -> Session {
        while sharedLimits.kept.isFull, makeRoom(16, for: nil, "keptBytes") > 0 {}
        if let refusal = sharedLimits.kept.refusal ?? memoryRefusal { throw refusal }
        let session = Session(
            key: makeKey(), viewModelName: name, model: model, scene: scene, isChild: isChild, context: context)
        while let full = host(session, of: scene.owner) {
            guard makeRoom(1, for: full.isOwner ? scene.owner : nil, full.limit) > 0 else {
                throw .limitExceeded(limit: full.limit, message: "\(full.message); try again when others have ended")
            }
        }
        return session
    }

    /// Hosts a session, unless there are too many. Returns the limit then.
    private func host(_ session: Session, of owner: String) -> (limit: String, message: String, isOwner: Bool)? {
        let (hostedSessions, addressSessions) = (limits.hostedSessions, limits.addressSessions)
        return state.withLock { state in
            guard state.sessions.count(of: owner) < addressSessions else {
                return ("addressSessions", "\(addressSessions) sessions were opened from this address", true)
            }
            guard state.sessions.count < hostedSessions else {
                return ("hostedSessions", "the server hosts \(hostedSessions) sessions", false)
            }
            state.sessions.add(session, of: owner)
            return nil
        }
    }

    /// Ends sessions that no view holds, the one that was left first too. Returns how many; 0 where there is none.
    ///
    /// - Parameters:
    ///   - owner: nil for those of everybody.
    ///   - limit: for the log, which gets a line at each doubling.
    private func makeRoom(_ maximum: Int, for owner: String?, _ limit: String) -> Int {
        var count = 0
        while count < maximum, let session = state.withLock({ $0.sessions.popDeparture(of: owner) }) {
            if endAbandoned(session, limit) { count += 1 }
        }
        return count
    }

    /// Returns whether no view holds it.
    @discardableResult
    private func endAbandoned(_ session: Session, _ limit: String) -> Bool {
        guard session.isAbandoned else { return false }
        session.end(.closed)
        let ended = state.withLock { state in
            state.abandonedEnded += 1
            return state.abandonedEnded
        }
        if ended & (ended - 1) == 0 { log.warning("sessions without views gave way (\(limit)): \(ended) so far") }
        return true
    }

    /// With its last view a child may leave a whole scene without any.
    private func noteDeparture(of session: Session) {
        guard let root = session.isChild ? session.scene?.root : session else { return }
        let bytes = KeptBytes.held(by: root)
        guard let owner = state.withLock({ $0.sessions.noteDeparture(of: root, holding: bytes) }) else { return }
        // Before others of its owner, behind whom there may be many clients, give way to it.
        if bytes > limits.abandonedBytes, holdsTooMuch(owner) {
            endAbandoned(root, "abandonedBytes")
            return
        }
        while holdsTooMuch(owner), makeRoom(1, for: owner, "abandonedBytes") > 0 {}
    }

    /// Whether the sessions without views that an owner opened hold more than they may.
    private func holdsTooMuch(_ owner: String) -> Bool {
        let maximum = limits.abandonedBytes
        guard state.withLock({ $0.sessions.abandonedBytes(of: owner) }) > maximum else { return false }
        // View models may have let go of what they took.
        return memoryWatch.withLock { $0 }?.mayHold(maximum) ?? true
    }

    /// A session or connection has ended, or can't be had.
    private func noteMemory() {
        guard let watch = memoryWatch.withLock({ $0 }) else { return }
        watch.note(
            makeRoom: { [weak self] in self?.makeRoom(256, for: nil, "memoryBytes") ?? 0 },
            didTrim: { [log] bytes in log.info("\(bytes) unused bytes went back to the system") })
    }

    private var memoryRefusal: SessionError? {
        guard memoryWatch.withLock({ $0?.isFull == true }) else { return nil }
        noteMemory()
        let message = "the server has allocated \(limits.memoryBytes) bytes; try again when sessions have ended"
        return .limitExceeded(limit: "memoryBytes", message: message)
    }

    /// The contexts that the sessions and scenes of a loop share, made with the first of them.
    private func contexts(of loop: EventLoop) -> (session: SessionContext, scene: SceneContext) {
        state.withLock { state in
            let id = ObjectIdentifier(loop)
            if let contexts = state.contexts[id] { return contexts }
            let session = SessionContext(
                executor: loop, limits: sharedLimits, clock: clock, turn: { loop.jobNumber },
                onEnd: { [weak self] session in self?.forget(session) },
                onAbandon: { [weak self] session in self?.noteDeparture(of: session) },
                warn: { [log] message in log.warning(message) })
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
            guard state.sessions.remove(session) else { return }
            state.openings.remove(session)
            state.endedEvents[session.viewModelName, default: 0] += newest
        }
        noteMemory()
    }

    /// Whether the server is about to end.
    package var isDraining: Bool { state.withLock { $0.isDraining } }

    /// The figures of `/metrics`.
    var counts: ServerCounts {
        let (sessions, ended, connections, all, abandoned) = state.withLock { state in
            (
                state.sessions.all, state.endedEvents, state.connections.count, state.allConnections,
                state.abandonedEnded
            )
        }
        var counts = ServerCounts(connections: connections, allConnections: all)
        (counts.exceeded, counts.errors) = state.withLock { ($0.exceeded, $0.errors) }
        counts.abandonedEnded = abandoned
        counts.keptBytes = sharedLimits.kept.bytes
        counts.abandonedBytes = state.withLock { $0.sessions.abandonedByteCount }
        for (name, events) in ended { counts.models[name, default: .init()].events += events }
        for session in sessions {
            let (newest, views) = session.summary
            counts.models[session.viewModelName, default: .init()].add(events: newest, views: views)
        }
        return counts
    }

    /// Counts an error that a client is answered.
    ///
    /// - Returns: the limit that was exceeded, which is worth a line in the log; nil where it is any other error.
    func count(_ error: RPCError) -> String? {
        state.withLock { $0.errors[error.code, default: 0] += 1 }
        guard error.code == .limitExceeded, let limit = error.exceededLimit else { return nil }
        countExceeded(limit)
        return limit
    }

    /// Something was refused other than by an answer of a connection, or has to wait: it is counted, and goes to the log.
    func didRefuse(_ client: String, _ limit: String, _ reason: String, level: Log.Level = .warning) {
        countExceeded(limit)
        var lines = LineCount()
        log.log(level, of: client, &lines, "\(reason) (\(limit))")
    }

    func countExceeded(_ limit: String) {
        state.withLock { $0.exceeded[limit, default: 0] += 1 }
    }

    /// Ends everything in order: answers the requests that were read, tells every view, and writes all output. Takes two
    /// grace periods at most, whatever handlers and clients do.
    package func drain() async {
        let connections = state.withLock { state in
            state.isDraining = true
            return state.connections.all
        }
        await all(connections) { connection, done in connection.drain(whenQuiet: done) }
        // Children end with the session that they are shown on.
        for session in state.withLock({ $0.sessions.inOrder }) where !session.isChild { session.end(.serverShutdown) }
        for session in state.withLock({ $0.sessions.inOrder }) { session.end(.serverShutdown) }
        await all(connections) { connection, done in connection.conclude(whenClosed: done) }
    }

    /// Waits until each connection has called its `done` or is gone, and no longer than the grace period.
    private func all(
        _ connections: [ConnectionHandle],
        _ body: @escaping @Sendable (Connection, _ done: @escaping @Sendable () -> Void) -> Void
    ) async {
        let latch = Latch(count: connections.count)
        for handle in connections {
            handle.perform({ body($0) { latch.countDown() } }, gone: { latch.countDown() })
        }
        let timer = Task { [clock, grace = limits.drainGrace] in
            // Opening an open latch does nothing, so a cancelled sleep may go on.
            try? await clock.sleep(for: grace)
            latch.open()
        }
        await latch.wait()
        timer.cancel()
    }
}
