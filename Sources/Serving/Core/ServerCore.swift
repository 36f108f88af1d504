package import Contracts
import JSON
import JSONRPC
import Queues
package import Sessions
import Synchronization
package import Transport
import ViewModelProtocol
import ViewModels

/// The parts that all connections of one server share: the registry, the sessions, the limits, and the list of connections.
///
/// Any thread may call it.
package final class ServerCore: Sendable {
    package let name: String
    let version: String
    package let registry: Registry
    let limits: Limits
    let log: ServerLog
    /// The bound on the memory that unfinished messages and requests of all clients take.
    package let inputBudget: InputBudget
    package let sessions: ServerSessions
    /// Watches the threads of handlers; nil where handlers have no threads of their own.
    let watch: HoldWatch?
    let clock: any Clock<Duration>
    /// Returns the time since the server was made, by `clock`.
    let elapsed: @Sendable () -> Duration
    /// The executor on which the server's own work, which no client asked for, waits for time to pass.
    let timers: any TaskExecutor
    /// Counts what is done for, and by, other servers with the same store.
    package let relays = RelayCounts()
    /// Runs the sessions of each client in another process; nil where sessions run in this one.
    let isolation: Isolation?
    /// Whether each client's sessions are in a process of its own, so that no client finds those of another one.
    private let isIsolated: Bool
    /// The links to other servers; nil where this server relays no clients.
    package let links: ServerLinks?
    private let tokens: Tokens?
    let guesses = Mutex(TokenGuesses())
    /// Contracts that were read from files, by the names of view models. The others are made from their types.
    private let contracts: [String: JSONTree]
    let onParent: @Sendable (Int) -> Void
    private let record: @Sendable (any ByteStream) -> any ByteStream
    private let state = Mutex(State())

    private struct State {
        var connections = ConnectionList()
        var allConnections = 0
        var isDraining = false
        /// How often each limit was exceeded, by its name.
        var exceeded: [String: Int] = [:]
        /// The number of errors that clients were answered with, by code.
        var errors: [ErrorCode: Int] = [:]
        /// Contracts that were made from types, by the names of view models.
        var contracts: [String: JSONTree] = [:]
    }

    /// - Parameters:
    ///   - tokens: one of them must be in `initialize`; nil lets everybody in.
    ///   - contracts: the answers to `viewModel/describe`, by the names of view models. Others are made from types.
    ///   - pool: runs handlers after a suspension; nil: on their loops, too, for a server whose runs are all alike.
    ///   - isolation: runs the sessions of each client in another process.
    ///   - links: the links to other servers with the same store.
    ///   - timers: runs the waits for grace periods, and what ends sessions to make room. Swift's own pool may be late for
    ///     these, as view models may hold all its threads.
    ///   - clock: measures the resume window and the grace periods.
    ///   - makeKey: makes session keys, which nobody must be able to guess.
    ///   - makeName: makes the names of sessions as clients of shared ones.
    ///   - journal: stores durable sessions; nil: all sessions end with the process.
    ///   - isProcess: whether this is a process of one client, or of one principal's clients.
    ///   - onParent: called with the process id that a client on stdio gives as its own.
    ///   - record: wraps the stream of each conversation that is to be recorded.
    package init(
        name: String = "view-model-server",
        version: String = "0.1.0",
        registry: Registry,
        limits: Limits = Limits(),
        tokens: Tokens? = nil,
        contracts: [String: JSONTree] = [:],
        log: ServerLog = ServerLog(),
        pool: WorkerPool? = nil,
        isolation: Isolation? = nil,
        links: ServerLinks? = nil,
        timers: any TaskExecutor = globalConcurrentExecutor,
        clock: any Clock<Duration> = ContinuousClock(),
        makeKey: @escaping @Sendable () -> String = { SessionKey.random() },
        makeName: @escaping @Sendable () -> String = { SessionKey.random() },
        journal: (any SessionJournal)? = nil,
        isProcess: Bool = false,
        onParent: @escaping @Sendable (Int) -> Void = { _ in },
        record: @escaping @Sendable (any ByteStream) -> any ByteStream = { $0 }
    ) {
        self.name = name
        self.version = version
        self.registry = registry
        self.limits = limits
        inputBudget = InputBudget(maximumBytes: limits.unfinishedBytes)
        self.isolation = isolation
        isIsolated = isProcess || isolation != nil
        self.links = links
        self.tokens = tokens
        self.contracts = contracts
        self.log = log
        self.clock = clock
        elapsed = clock.stopwatch()
        self.timers = timers
        self.onParent = onParent
        self.record = record
        watch = pool?.watch
        sessions = ServerSessions(
            registry: registry, limits: limits, pool: pool, timers: timers, clock: clock, log: log, makeKey: makeKey,
            makeName: makeName, journal: journal)
        sessions.sharing.begin(self)
        isolation?.watchLapses()
    }

    /// The view models whose scope has no effect.
    package var scopeless: [String] {
        registry.names.filter { registry.scope(of: $0) != scope(of: $0, hasPrincipal: hasPrincipals) }
    }

    /// Whether each client is a principal.
    var hasPrincipals: Bool { tokens?.principals.isEmpty == false }

    /// Returns which session a client gets that opens this view model. In a process of their own, only clients of one principal
    /// find sessions again.
    func scope(of viewModel: String, hasPrincipal: Bool) -> SessionScope {
        let scope = registry.scope(of: viewModel)
        return !isIsolated || (scope == .person && hasPrincipal) ? scope : .each
    }

    /// Serves one client until either side ends the connection. Called on the stream's loop.
    ///
    /// - Parameters:
    ///   - isProcess: the process is this client's alone, so it ends with the `processId` that the client gives.
    ///   - isPatient: whether the client may be as slow as it likes, as it harms nobody else; nil: the value of `isProcess`.
    ///   - onClose: called once, on the loop, with the exit status for a process that is this client's alone.
    package func serve(
        _ stream: any ByteStream, isProcess: Bool = false, isPatient: Bool? = nil,
        onClose: @escaping @Sendable (Int32) -> Void = { _ in }
    ) {
        let owner = Owner(ofPeer: stream.peerDescription)
        if !isProcess, let exceeded = exceededLimit(of: owner) { return refuse(stream, exceeded) }
        let connection = Connection(
            record(stream), core: self, isProcess: isProcess, isPatient: isPatient ?? isProcess, onClose: onClose)
        start(connection, of: owner.name)
    }

    /// Serves a client whom another server has let in. Called on the stream's loop.
    package func serve(_ stream: any ByteStream, relayed client: RelayedClient) {
        let connection = Connection(
            stream, core: self, isProcess: false, isPatient: true, relayed: client, onClose: { _ in })
        connection.didInitialize(client: nil, processID: nil, trace: .off)
        start(connection, of: connection.owner)
    }

    private func start(_ connection: Connection, of owner: String) {
        let (index, isLate) = join(connection.handle, of: owner)
        connection.index = index
        // The stream keeps the connection as its handler until it is closed.
        connection.stream.start()
        if isLate { connection.conclude {} }
    }

    /// Adds a connection to the list until `leave`, and returns its index.
    ///
    /// - Returns: `isLate` is true where the server drains. Nothing of such a stream is read, so that its client finds no
    ///   session that is about to leave: it connects again, like a client that comes a moment later.
    private func join(_ connection: ConnectionHandle, of owner: String) -> (index: Int, isLate: Bool) {
        state.withLock { state in
            state.allConnections += 1
            return (state.connections.add(connection, of: owner), state.isDraining)
        }
    }

    private func exceededLimit(of owner: Owner) -> (name: String, message: String)? {
        let (all, own) = state.withLock { ($0.connections.count, $0.connections.count(of: owner.name)) }
        return owner.exceededLimit(limits, connections: all, own: own)
    }

    /// Writes an error to a stream, and closes it. The framing isn't known yet, so the error is a line.
    private func refuse(_ stream: any ByteStream, _ exceeded: (name: String, message: String)) {
        didRefuse(stream.peerDescription, exceeded.name, exceeded.message)
        let error = RPCError.limitExceeded(exceeded.name, exceeded.message)
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

    /// Removes a connection from the list. Called once for each, when it is closed.
    func leave(_ index: Int) {
        state.withLock { $0.connections.remove(at: index) }
        sessions.noteMemory()
    }

    /// Returns the contract of a view model; nil when there is none of this name.
    func contract(of name: String) -> JSONTree? {
        guard let types = registry.types(of: name) else { return nil }
        if let contract = contracts[name] ?? state.withLock({ $0.contracts[name] }) { return contract }
        var builder = ContractBuilder()
        let contract = builder.contract(of: types).json
        state.withLock { $0.contracts[name] = contract }
        return contract
    }

    /// Returns the error of a view event that can't be read. Where the wrong value was to be one of an enum, the error lists
    /// the possible ones: Swift's own `init(from:)` names the wrong value alone.
    func explained(_ event: UndecodedEvent, for viewModel: String) -> JSONCodingError {
        let error = event.error
        let found = error.reason.split(separator: " value ", maxSplits: 1, omittingEmptySubsequences: false)
        guard found.count == 2, found[0].hasPrefix("Cannot initialize "), let kind = event.kind,
            let values = contract(of: viewModel)?
                .valuesInWords(ofViewEvent: kind, at: error.path.steps[...])
        else { return error }
        let value = found[1].utf8.count > 100 ? "\(found[1].prefix(100))…" : found[1]
        return JSONCodingError(path: error.path, reason: "'\(value)' is none of \(values)")
    }

    package var hasTokens: Bool { tokens != nil }

    /// Returns whether a client with this token is let in, and as which principal.
    func judge(token given: String?) -> Tokens.Verdict {
        tokens?.judge(given) ?? .accepted(principal: nil)
    }

    /// Counts a connection for its principal from now on, and no longer for its address.
    ///
    /// - Throws: `LimitExceeded` where the principal has too many. Then nothing has changed.
    func count(_ index: Int, for owner: Owner) throws(RPCError) {
        let exceeded = state.withLock { state in
            // This one is among all connections already.
            let (others, own) = (state.connections.count - 1, state.connections.count(of: owner.name))
            let exceeded = owner.exceededLimit(limits, connections: others, own: own)
            if exceeded == nil { state.connections.move(index, to: owner.name) }
            return exceeded
        }
        guard let exceeded else { return }
        throw .limitExceeded(exceeded.name, exceeded.message)
    }

    /// How long a client waits for a session whose server doesn't answer: that server's lease and two seconds, or `storeTime`
    /// where that is longer.
    var takeoverTime: Duration {
        max(limits.storeTime, (sessions.journal?.leaseTime ?? .zero) + .seconds(2))
    }

    /// Whether the server is about to end.
    package var isDraining: Bool { state.withLock { $0.isDraining } }

    /// The figures of `/metrics`, with those of the clients' processes.
    package var counts: ServerCounts {
        var counts = state.withLock { state in
            var counts = ServerCounts(connections: state.connections.count, allConnections: state.allConnections)
            (counts.exceeded, counts.errors) = (state.exceeded, state.errors)
            return counts
        }
        sessions.count(in: &counts)
        isolation?.figures.sum.add(to: &counts)
        return counts
    }

    /// Counts an error that a client is answered with.
    ///
    /// - Returns: the limit that was exceeded, which is worth a line in the log; nil for any other error.
    func count(_ error: RPCError) -> String? {
        state.withLock { $0.errors[error.code, default: 0] += 1 }
        guard error.code == .limitExceeded, let limit = error.exceededLimit else { return nil }
        countExceeded(limit)
        return limit
    }

    /// Counts and logs something that was refused other than by an answer of a connection, or that has to wait.
    func didRefuse(_ client: String, _ limit: String, _ reason: String, level: ServerLog.Level = .warning) {
        var lines = LineCount()
        log.log(level, of: client, &lines, "\(reason) (\(limit))")
        // Last: whoever sees the count finds the line.
        countExceeded(limit)
    }

    func countExceeded(_ limit: String) {
        state.withLock { $0.exceeded[limit, default: 0] += 1 }
    }

    /// Ends everything in order: answers the requests that were read, tells every view, writes all output, and stops the view
    /// models meanwhile. Takes two grace periods at most, whatever handlers and clients do.
    package func drain() async {
        let connections = state.withLock { state in
            state.isDraining = true
            return state.connections.all
        }
        if let isolation {
            await all(connections) { connection, done in connection.drain(whenRead: done) }
            await isolation.drain(timers: timers)
        }
        await all(connections) { connection, done in connection.drain(whenQuiet: done) }
        // Before the connections conclude, so that their views are told.
        sessions.endAll()
        async let hasStopped: Void = sessions.awaitStops()
        await all(connections) { connection, done in connection.conclude(whenClosed: done) }
        // The process of a client reaches the store over its link.
        let store = links?.journal
        if store == nil { links?.close() }
        await hasStopped
        // Their clients have gone to other servers.
        sessions.endLives()
        sessions.journal?.leave()
        await sessions.awaitStops()
        guard let store else { return }
        await store.finish()
        links?.close()
    }

    /// Ends the sessions that are left, and waits until their view models have stopped, no longer than the grace period.
    package func stopSessions() async {
        sessions.endAll()
        sessions.endLives()
        await sessions.awaitStops()
    }

    /// Calls `body` for each connection, and waits until each has called its `done` or is gone, for the grace period at most.
    private func all(
        _ connections: [ConnectionHandle],
        _ body: @escaping @Sendable (Connection, _ done: @escaping @Sendable () -> Void) -> Void
    ) async {
        let latch = Latch(count: connections.count)
        for handle in connections {
            handle.perform({ body($0) { latch.countDown() } }, gone: { latch.countDown() })
        }
        let timer = timers.schedule(after: limits.drainGrace, by: clock) { latch.open() }
        await latch.wait()
        timer.cancel()
    }
}
