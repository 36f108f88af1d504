import JSON
import JSONRPC
import Queues
package import Sessions
import Synchronization
import Transport
import ViewModelProtocol
import ViewModels

/// The sessions of one server: makes them, finds them by key or opening, and bounds them all together.
///
/// Any thread may call it. Its lock is never held while a session is called or ended.
// Over 400 lines because each bound on all sessions looks at several parts of what one lock guards.
package final class ServerSessions: Sendable {
    let registry: Registry
    /// Locked while the sessions of a stored scene are made.
    let restoring = Mutex(())
    let limits: Limits
    private let sharedLimits: SharedLimits
    private let clock: any Clock<Duration>
    private let timers: any TaskExecutor
    let log: ServerLog
    private let tracer: SessionTracer?
    private let lastNumber = Atomic<Int>(0)
    let threads: HandlerThreads?
    let makeKey: @Sendable () -> String
    let readKeys = ReadKeys()
    /// Stores durable sessions; nil where nothing outlives the process.
    let journal: (any SessionJournal)?
    /// Connects sessions with shared ones.
    let sharing: SharedConnector
    private let memoryWatch = Mutex<MemoryWatch?>(nil)
    private let state = Mutex(State())

    private struct State {
        var sessions = HostedSessions()
        /// The number of sessions without views that ended because there was too much.
        var abandonedEnded = 0
        var openings = RepeatableOpenings()
        var lives = StoredLives()
        /// The number of events of the sessions that have ended, by the names of their view models.
        var endedEvents: [String: Int] = [:]
        /// How often view models exceeded a limit, by its name.
        var exceeded: [String: Int] = [:]
        /// Owners that hold more than their share while memory runs short.
        var ownersAboveShare: Set<String> = []
        /// The contexts of each loop. A context retains its loop, so no other loop can have the same identifier.
        var contexts: [ObjectIdentifier: (session: SessionContext, scene: SceneContext)] = [:]
    }

    init(
        registry: Registry, limits: Limits, pool: WorkerPool?, timers: any TaskExecutor, clock: any Clock<Duration>,
        log: ServerLog, makeKey: @escaping @Sendable () -> String, makeName: @escaping @Sendable () -> String,
        journal: (any SessionJournal)?
    ) {
        self.registry = registry
        self.journal = journal
        self.limits = limits
        sharedLimits = SharedLimits(limits)
        self.clock = clock
        self.timers = timers
        self.log = log
        tracer = SessionTracer(log, by: clock)
        threads = pool.map { HandlerThreads(pool: $0) { log.warning($0) } }
        self.makeKey = makeKey
        sharing = SharedConnector(makeName: makeName)
        sharedLimits.kept.whenFull(on: timers) { [weak self] in
            while let self, sharedLimits.kept.isFull, makeRoom(16, for: nil, "keptBytes") > 0 {}
        }
        // When the store may have given scenes to other servers: views with nothing to send would wait here for events that
        // go to clients elsewhere.
        journal?.whenLapsed { [weak self] in
            if let self { SessionRestorer(self).use() }
        }
    }

    /// Has a watch look at the memory of the process. Only the owner of the process may call this, as the process may have
    /// other servers.
    package func watchMemory(_ watch: MemoryWatch) {
        memoryWatch.withLock { $0 = watch }
    }

    /// Returns the session with this key, which may be one to look at it. A session that has ended is found until its end is
    /// stored.
    package func session(withKey key: String) -> Session? {
        state.withLock { $0.sessions[key] ?? $0.lives.ending(key) } ?? readKeys.session(withKey: key)
    }

    /// Notes that a scene is about to be read from the store. Returns a value for `isOutdated(_:_:)`; `endLoad()` must
    /// follow.
    func beginLoad() -> StoredLives.Load { state.withLock { $0.lives.beginLoad() } }

    func endLoad() {
        state.withLock { $0.lives.endLoad() }
    }

    /// Returns whether the scene of this root was in memory since the read began, so that more of it may be stored by now.
    func isOutdated(_ load: StoredLives.Load, _ root: String) -> Bool {
        state.withLock { $0.lives.isOutdated(load, root) }
    }

    /// Returns the session that an opening has made; nil where it has made none, or one that has ended.
    ///
    /// - Throws: `InvalidParams` where the `once` came with another opening before.
    func session(of opening: RepeatableOpening) throws(RPCError) -> Session? {
        try state.withLock { state throws(RPCError) in try state.openings.session(of: opening) }
    }

    /// Makes a new session findable by its opening, and returns it. Where the same opening came on two connections at once,
    /// returns the session that was first, and ends this one.
    ///
    /// - Throws: `InvalidParams` where the `once` came with another opening before.
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

    /// Returns the sessions in memory that clients have opened and that a filter takes, with the arguments that they were opened
    /// with.
    func roots(for filter: SceneFilter) -> [(session: Session, arguments: JSONText?)] {
        state.withLock { state in
            state.sessions.roots(for: filter).map { session in
                let stored = session.storage?.header.arguments.flatMap { bytes in
                    bytes.withUnsafeBytes { try? JSONText(validating: $0) }
                }
                return (session, stored ?? state.openings.arguments(of: session))
            }
        }
    }

    var allSessions: [Session] { state.withLock { $0.sessions.inOrder } }

    func add(_ opening: RepeatableOpening, _ session: Session) {
        state.withLock { $0.openings.add(opening, session) }
    }

    /// Makes a session with a container of its own, which is found by its key, and by the opening. Nil when no view model has
    /// this name.
    func makeSession(
        _ name: String, arguments: JSONText?, at path: JSONPointer, for owner: String, _ person: String,
        _ opening: RepeatableOpening?, on loop: EventLoop
    ) throws(RPCError) -> Session? {
        let contexts = contexts(of: loop)
        let isDurable = journal != nil && registry.isDurable(name)
        if isDurable, let failure = journal?.failure { throw .storeUnavailable(failure.reason) }
        let scene = Scene(
            context: contexts.scene, owner: owner, person: person, scope: opening?.scope(in: registry) ?? .each,
            committer: isDurable ? journal.map { SceneCommitter(journal: $0) } : nil)
        let model: (any SessionModel)?
        do throws(JSONCodingError) {
            model = try registry.sessionModel(name, arguments: arguments, at: path, in: scene.container)
        } catch {
            throw .invalidParams(error)
        }
        guard let model else { return nil }
        do throws(SessionError) {
            let session = try makeSession(name, model, in: scene, isChild: false, contexts.session) { key in
                guard let committer = scene.committer, let journal = self.journal else { return nil }
                return SessionStorage(
                    header: .init(
                        key: key, scene: key, viewModel: name, arguments: arguments?.bytes,
                        argumentsVersion: self.registry.argumentsVersion(of: name)),
                    sceneHeader: .init(
                        key: key, owner: Owner.stored(owner, person), once: opening?.once, used: journal.time),
                    committer: committer)
            }
            if let arguments { KeptBytes.note(argumentBytes: arguments.bytes.count, of: session) }
            scene.begin(with: session)
            return session
        } catch {
            throw RPCError(error)
        }
    }

    func makeSession(
        _ name: String, _ model: any SessionModel, in scene: Scene, isChild: Bool, _ context: SessionContext,
        key: String? = nil, storage: (_ key: String) -> SessionStorage? = { _ in nil }
    ) throws(SessionError) -> Session {
        while sharedLimits.kept.isFull, makeRoom(16, for: nil, "keptBytes") > 0 {}
        if let refusal = sharedLimits.kept.refusal ?? shareRefusal(of: scene.owner) ?? memoryRefusal { throw refusal }
        let key = key ?? makeKey()
        let number = lastNumber.wrappingAdd(1, ordering: .relaxed).newValue
        let session = Session(
            key: key, number: number, viewModelName: name,
            model: tracer?.traced(model, name, number: number) ?? model, scene: scene,
            isChild: isChild, storage: storage(key), context: context)
        while let full = host(session, of: scene.owner) {
            guard makeRoom(1, for: full.isOwner ? scene.owner : nil, full.limit) > 0 else {
                throw .limitExceeded(limit: full.limit, message: "\(full.message); try again when others have ended")
            }
        }
        readKeys.add(session)
        return session
    }

    /// Adds a session to the hosted ones, unless there are too many. Returns the limit that it would exceed; nil where it was
    /// added.
    private func host(_ session: Session, of owner: String) -> (limit: String, message: String, isOwner: Bool)? {
        let (hostedSessions, addressSessions) = (limits.hostedSessions, limits.addressSessions)
        return state.withLock { state in
            guard state.sessions.count(of: owner) < addressSessions else {
                return ("addressSessions", "\(addressSessions) sessions were opened \(Owner.origin(of: owner))", true)
            }
            guard state.sessions.count < hostedSessions else {
                return ("hostedSessions", "the server hosts \(hostedSessions) sessions", false)
            }
            state.sessions.add(session, of: owner)
            return nil
        }
    }

    /// Ends sessions without views, the one that was left first before the others. Returns how many have ended; 0 where there
    /// is none.
    ///
    /// - Parameters:
    ///   - owner: the owner of the sessions; nil for those of all owners.
    ///   - limit: the limit that was reached, for the log, which gets a line each time that the number of ended sessions
    ///     doubles.
    private func makeRoom(_ maximum: Int, for owner: String?, _ limit: String) -> Int {
        var count = 0
        while count < maximum, let session = state.withLock({ $0.sessions.popDeparture(of: owner) }) {
            if endAbandoned(session, limit) { count += 1 }
        }
        return count
    }

    /// Ends a session, or has a durable one leave memory, where it has no views. Returns whether its memory is given up.
    @discardableResult
    private func endAbandoned(_ session: Session, _ limit: String) -> Bool {
        guard session.isAbandoned else { return false }
        // A durable session only leaves memory, and does so later where it has something to do.
        if session.isDurable { return session.scene?.leaveMemory() ?? false }
        session.end(.closed)
        let ended = state.withLock { state in
            state.abandonedEnded += 1
            return state.abandonedEnded
        }
        if ended & (ended - 1) == 0 { log.warning("sessions without views gave way (\(limit)): \(ended) so far") }
        return true
    }

    /// Notes that a session has lost its last view, and makes room where its owner's sessions without views hold too much.
    /// With the last view of a child, a whole scene may be without any.
    private func noteDeparture(of session: Session) {
        guard let root = session.isChild ? session.scene?.root : session, root.isAbandoned else { return }
        let bytes = KeptBytes.held(by: root)
        guard let owner = state.withLock({ $0.sessions.noteDeparture(of: root, holding: bytes) }) else { return }
        // This one goes before others of its owner, who may be a proxy for many clients, must give way to it.
        if bytes > limits.abandonedBytes, holdsTooMuch(owner) {
            endAbandoned(root, "abandonedBytes")
            return
        }
        while holdsTooMuch(owner), makeRoom(1, for: owner, "abandonedBytes") > 0 {}
    }

    /// Returns whether the sessions without views that an owner opened hold more than they may.
    private func holdsTooMuch(_ owner: String) -> Bool {
        let maximum = limits.abandonedBytes
        guard state.withLock({ $0.sessions.abandonedBytes(of: owner) }) > maximum else { return false }
        // View models may have let go of what they took.
        return memoryWatch.withLock { $0 }?.mayHold(maximum) ?? true
    }

    /// Has the memory watched for a while: called when a session or connection has ended or was refused, or a session has
    /// taken a lot.
    func noteMemory() {
        guard let watch = memoryWatch.withLock({ $0 }) else { return }
        watch.note(
            didLook: { [weak self] in self?.judgeShares(usedBytes: $0) },
            makeRoom: { [weak self] in self?.makeRoom(256, for: nil, "memoryBytes") ?? 0 },
            didTrim: { [log] bytes in log.info("\(bytes) unused bytes went back to the system") })
    }

    /// Finds the owners that hold more than their share while memory runs short. Their sessions take no more, so that others
    /// can. A single owner has no share, as it keeps nobody out.
    private func judgeShares(usedBytes: Int) {
        let isShort = usedBytes > limits.memoryBytes / 2
        let (before, owned) = state.withLock { state in
            (state.ownersAboveShare, isShort || !state.ownersAboveShare.isEmpty ? state.sessions.byOwner : [:])
        }
        let mayBeAbove = isShort && owned.count > 1
        var above: Set<String> = []
        for (owner, sessions) in owned {
            let roots = sessions.filter { !$0.isChild }
            let isAbove = mayBeAbove && roots.reduce(0) { $0 + KeptBytes.held(by: $1) } > limits.addressBytes
            if isAbove { above.insert(owner) }
            for root in roots { root.scene?.takesNoMore = isAbove }
        }
        state.withLock { [above] in $0.ownersAboveShare = above }
        for owner in above.subtracting(before).sorted() {
            let opened = "sessions that were opened by \(owner.contains(" ") ? owner : "the address \(owner)")"
            log.warning("\(opened) hold more than \(limits.addressBytes) bytes while memory runs short (addressBytes)")
        }
    }

    package var hasOwnersAboveShare: Bool { state.withLock { !$0.ownersAboveShare.isEmpty } }

    private func shareRefusal(of owner: String) -> SessionError? {
        guard state.withLock({ $0.ownersAboveShare.contains(owner) }) else { return nil }
        noteMemory()
        return .aboveShare(limits.addressBytes)
    }

    private var memoryRefusal: SessionError? {
        guard memoryWatch.withLock({ $0?.isFull == true }) else { return nil }
        noteMemory()
        let message = "the server has allocated \(limits.memoryBytes) bytes; try again when sessions have ended"
        return .limitExceeded(limit: "memoryBytes", message: message)
    }

    /// Returns the contexts that the sessions and scenes of a loop share. They are made for the first of them.
    func contexts(of loop: EventLoop) -> (session: SessionContext, scene: SceneContext) {
        state.withLock { state in
            let id = ObjectIdentifier(loop)
            if let contexts = state.contexts[id] { return contexts }
            let session = SessionContext(
                executor: loop, threads: threads, limits: sharedLimits, clock: clock, turn: { loop.jobNumber },
                onEnd: { [weak self] session in self?.forget(session) },
                onAbandon: { [weak self] session in self?.noteDeparture(of: session) },
                onTake: { [weak self] in self?.noteMemory() },
                warn: { [log] message in log.warning(message) },
                logLevel: { [log] in log.level }, log: { [log] in log.write($0, $1, of: $2) },
                onExceed: { [weak self] limit in self?.state.withLock { $0.exceeded[limit, default: 0] += 1 } },
                sharing: sharing)
            let scene = SceneContext(registry: registry, maximumCount: limits.screens) {
                [weak self] name, model, scene, arguments, transition in
                guard let self else { throw NavigationError.ended }
                return try makeSession(name, model, in: scene, isChild: true, session) { key in
                    guard model.isDurable, let committer = scene.committer, let root = scene.root else { return nil }
                    return SessionStorage(
                        header: .init(
                            key: key, scene: root.key, viewModel: name, arguments: arguments,
                            shownBy: transition == .push ? .push : .present),
                        sceneHeader: nil, committer: committer)
                }
            }
            state.contexts[id] = (session, scene)
            return (session, scene)
        }
    }

    private func forget(_ session: Session) {
        tracer?.didEnd(session)
        readKeys.forget(session)
        let newest = session.summary.newest
        let isStored = session.scene?.committer != nil
        state.withLock { state in
            state.openings.remove(session)
            if isStored { state.lives.add(session) }
            guard state.sessions.remove(session) else { return }
            state.endedEvents[session.viewModelName, default: 0] += newest
        }
        if isStored {
            StoredEnd(of: session).whenTold { [weak self] _ in
                self?.state.withLock { $0.lives.remove(session) }
            }
        }
        noteMemory()
    }

    /// Adds the figures of sessions in `/metrics` to the counts.
    func count(in counts: inout ServerCounts) {
        let (sessions, ended, abandoned, exceeded) = state.withLock {
            ($0.sessions.all, $0.endedEvents, $0.abandonedEnded, $0.exceeded)
        }
        counts.exceeded.merge(exceeded, uniquingKeysWith: +)
        counts.abandonedEnded = abandoned
        counts.keptBytes = sharedLimits.kept.bytes
        counts.abandonedBytes = state.withLock { $0.sessions.abandonedByteCount }
        for (name, events) in ended { counts.models[name, default: .init()].events += events }
        for session in sessions {
            let (newest, views) = session.summary
            counts.models[session.viewModelName, default: .init()].add(events: newest, views: views)
            if session.isDurable { counts.ownedSessions += 1 }
            counts.add(waiting: session.waitingSends)
        }
    }

    /// Waits until the view models of sessions that have ended have stopped, for as long as the drain's grace.
    func awaitStops() async {
        let endings = state.withLock { $0.contexts.values.map(\.session.ending) }
        let latch = Latch(count: endings.count)
        for ending in endings { ending.whenNone { latch.countDown() } }
        let timer = Task.detached(executorPreference: timers) { [timers, clock, grace = limits.drainGrace] in
            do {
                try await timers.sleep(for: grace, by: clock)
            } catch {
                // The clock of a replay may have ended.
                try await timers.sleep(for: grace, by: ContinuousClock())
            }
            // Opens the latch.
            for ending in endings { ending.giveUp() }
        }
        await latch.wait()
        timer.cancel()
    }

    /// Ends all sessions that aren't durable, with the reason that the server shuts down.
    func endAll() {
        // Children end with the session that they are shown on.
        for session in state.withLock({ $0.sessions.inOrder }) where !session.isChild && !session.isDurable {
            session.end(.serverShutdown)
        }
    }

    /// Ends the durable sessions in memory, once no connection is left: their clients are told nothing, and come back.
    func endLives() {
        for session in state.withLock({ $0.sessions.inOrder }) where !session.isChild && session.isDurable {
            session.scene?.endLife(from: session)
        }
        for session in state.withLock({ $0.sessions.inOrder }) { session.end(.serverShutdown) }
    }
}
