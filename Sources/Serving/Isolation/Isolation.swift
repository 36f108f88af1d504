import JSON
import JSONRPC
import Queues
package import Sessions
import Synchronization
package import Transport
import ViewModelProtocol

/// The `--isolate` mode: the sessions of each client are in a process of its own, to which this server has a link.
///
/// The processes are this executable, started again. Any thread may call it.
package final class Isolation: Sendable {
    /// The executable and how it is started for a client.
    package struct Program: Sendable {
        let path: String
        let arguments: @Sendable (_ client: String) -> [String]
        let environment: [String]

        /// - Parameters:
        ///   - arguments: returns the arguments of a client's process, the program's name first.
        ///   - environment: entries of the form `NAME=VALUE`.
        package init(
            path: String, arguments: @escaping @Sendable (_ client: String) -> [String], environment: [String]
        ) {
            self.path = path
            self.arguments = arguments
            self.environment = environment
        }
    }

    /// The figures of the processes in `/metrics`.
    struct Counts {
        var running = 0
        var started = 0
        /// The number of processes that ended by themselves.
        var crashed = 0
        var residentBytes = 0
    }

    fileprivate struct State {
        /// The process of each client to which new connections go.
        var current: [String: IsolatedChild] = [:]
        /// All processes that haven't ended.
        var running: [ObjectIdentifier: IsolatedChild] = [:]
        var crashes: [String: CrashHistory] = [:]
        var started = 0
        var crashed = 0
        var figures = ProcessFigures()
        var isDraining = false
        /// Called when the last process is gone, while the server drains.
        var onLastProcess: (@Sendable () -> Void)?
    }

    /// The token of links, which is empty: nobody but the other end has the socket.
    static let token: [UInt8] = []
    /// The time between two looks at the memory of a process.
    private static let interval = Duration.milliseconds(500)

    private let program: Program
    private let registry: Registry
    let limits: Limits
    private let log: ServerLog
    private let stores: ProcessStores?
    private let clock: any Clock<Duration>
    private let wrap: @Sendable (any ByteStream) -> any ByteStream
    private let now: @Sendable () -> Duration
    private let state = Mutex(State())

    /// - Parameters:
    ///   - journal: stores the durable sessions of all processes; nil: all sessions end with their process.
    ///   - wrap: wraps the stream of each new link. Tests interpose themselves here.
    package init(
        _ program: Program, registry: Registry, limits: Limits, log: ServerLog, journal: (any SessionJournal)? = nil,
        clock: any Clock<Duration> = ContinuousClock(),
        wrap: @escaping @Sendable (any ByteStream) -> any ByteStream = { $0 }
    ) {
        self.program = program
        self.registry = registry
        self.limits = limits
        self.log = log
        stores = journal.map { ProcessStores($0) }
        self.clock = clock
        self.wrap = wrap
        now = clock.stopwatch()
    }

    var counts: Counts {
        let (children, started, crashed) = state.withLock { ($0.running.values.map(\.self), $0.started, $0.crashed) }
        let resident = children.reduce(0) { $0 + $1.process.residentBytes }
        return Counts(running: children.count, started: started, crashed: crashed, residentBytes: resident)
    }

    /// The figures that the processes have reported of themselves.
    var figures: ProcessFigures { state.withLock { $0.figures } }

    var keepsSessions: Bool { stores != nil }

    /// Begins to tell processes when the store may lack something of their scenes.
    func watchLapses() { stores?.watchLapses() }
}

/// Starting, watching and ending the processes.
extension Isolation {
    /// Opens a channel to the process of a client, which is started unless it runs. Called on the loop of the channel.
    ///
    /// - Throws: `LimitExceeded` where there are too many processes, or the client's has crashed too often; `InternalError`
    ///   where the system can't start one; `ViewModelFailed` while the server drains.
    func connect(
        to client: String, as relayed: RelayedClient, on loop: EventLoop
    ) throws(RPCError) -> (child: IsolatedChild, stream: LinkStream) {
        while true {
            let child = try child(of: client, on: loop)
            if let stream = child.openChannel(for: relayed, on: loop) { return (child, stream) }
            // The process is about to end.
            forget(child)
        }
    }

    private func child(of client: String, on loop: EventLoop) throws(RPCError) -> IsolatedChild {
        let (child, isNew) = try state.withLock { state throws(RPCError) in
            if let child = state.current[client] { return (child, false) }
            try checkStart(of: client, &state)
            let child = try start(for: client, on: loop)
            state.current[client] = child
            state.running[ObjectIdentifier(child)] = child
            state.started += 1
            return (child, true)
        }
        if isNew {
            log.info("process \(child.process.processID) started for \(client)")
            watchMemory(of: child, on: loop)
        }
        return child
    }

    private func checkStart(of client: String, _ state: inout State) throws(RPCError) {
        if state.isDraining { throw RPCError(.viewModelFailed, "the server is about to end") }
        if let wait = state.crashes[client]?.wait(at: now(), maximum: limits.isolatedCrashes) {
            let milliseconds = Int(wait / .milliseconds(1)) + 1
            let reason =
                "the process for \(client) ended by itself \(limits.isolatedCrashes) times within a minute; "
                + "none is started for \((milliseconds + 999) / 1_000) s"
            throw .limitExceeded("isolatedCrashes", reason, retryAfterMilliseconds: milliseconds)
        }
        guard state.running.count < limits.isolatedProcesses else {
            let reason =
                "the server runs \(limits.isolatedProcesses) processes for clients; try again when others have ended"
            throw .limitExceeded("isolatedProcesses", reason)
        }
    }

    private func start(for client: String, on loop: EventLoop) throws(RPCError) -> IsolatedChild {
        // The end is reported on this loop, whose thread runs this code, and so only after `child` is set.
        var child: IsolatedChild?
        do throws(SystemError) {
            let process = try WorkerProcess(
                program.path, program.arguments(client), environment: program.environment, on: loop,
                didReport: { [self] report in
                    if let child { take(report, of: child) }
                },
                didEnd: { [self] ending in
                    if let child { didEnd(child, ending) }
                    child = nil
                })
            let stream = try wrap(DescriptorStream(process.connect(), peer: "process \(process.processID)", loop: loop))
            let link = Link(
                connecting: stream, token: Self.token, settings: .ofProcess,
                didClose: { [weak self] _ in if let child { self?.didLoseLink(of: child, on: loop) } })
            let made = IsolatedChild(client, process, link, storeProcess: stores?.newProcess())
            child = made
            // Before any channel of a client.
            if let stores { StoreChannel.open(to: made, stores, limits, on: loop) }
            return made
        } catch {
            throw RPCError(.internalError, "no process can be started for \(client): \(error)")
        }
    }

    private func forget(_ child: IsolatedChild) {
        state.withLock { state in
            if state.current[child.client] === child { state.current[child.client] = nil }
        }
    }

    /// Replaces the process for new connections. A process that gave up its link without ending is of no use, so it is
    /// killed.
    private func didLoseLink(of child: IsolatedChild, on loop: EventLoop) {
        forget(child)
        loop.schedule(after: drainTime) { [weak child] in child?.kill("it gave up its link") }
    }

    /// How long a process may take to drain: its own drain takes two grace periods at most.
    private var drainTime: Duration { limits.drainGrace * 2 + .seconds(1) }

    private func take(_ report: UnsafeRawBufferPointer, of child: IsolatedChild) {
        // A report that can't be read is ignored.
        guard let counts = ProcessCounts(report, registry) else {
            if let process = child.storeProcess, let last = LastEvent(report) { stores?.didCrash(process, in: last) }
            return
        }
        state.withLock { $0.figures.take(counts, of: child.process.processID) }
    }

    func hadScenes(_ child: IsolatedChild) -> Bool {
        child.storeProcess.map { stores?.hadScenes($0) ?? false } ?? false
    }

    private func didEnd(_ child: IsolatedChild, _ ending: ChildProcess.Ending) {
        forget(child)
        // Closes the socket now: the child may stay referenced for as long as clients could come back to its sessions.
        child.process.end()
        // Before anybody else goes on with its sessions.
        let hadScenes = child.storeProcess.map { stores?.remove($0) ?? false } ?? false
        let (words, wasTold) = child.didEnd(ending, hadScenes: hadScenes)
        let onLast = state.withLock { state in
            state.running[ObjectIdentifier(child)] = nil
            state.figures.didEnd(child.process.processID)
            if !wasTold { state.noteCrash(of: child.client, at: now(), maximum: limits.isolatedCrashes) }
            return state.running.isEmpty ? state.onLastProcess : nil
        }
        let line = "process \(child.process.processID) of \(child.client) \(words)"
        let rest = hadScenes ? "what is stored of its sessions goes on in the next one" : "its sessions ended with it"
        if wasTold { log.info(line) } else { log.error("\(line); \(rest)") }
        onLast?()
    }

    private func watchMemory(of child: IsolatedChild, on loop: EventLoop) {
        loop.schedule(after: Self.interval) { [self, weak child] in
            guard let child, state.withLock({ $0.running[ObjectIdentifier(child)] != nil }) else { return }
            let bytes = child.process.residentBytes
            if bytes > limits.isolatedBytes {
                child.kill(
                    "it used \(bytes >> 20) MiB, where \(limits.isolatedBytes >> 20) are allowed (isolatedBytes)")
            } else {
                watchMemory(of: child, on: loop)
            }
        }
    }

    /// Handles the end of a channel to the process. After the last one the process ends, too, once nobody can come back to
    /// its sessions.
    func leave(_ child: IsolatedChild, hasHadViews: Bool, on loop: EventLoop) {
        guard let last = child.leave(hasHadViews: hasHadViews) else { return }
        guard last.mayHaveSessions else { return retire(child, since: last.use) }
        loop.schedule(after: limits.resumeWindow) { [self] in retire(child, since: last.use) }
    }

    private func retire(_ child: IsolatedChild, since use: Int?) {
        guard child.retire(since: use) else { return }
        forget(child)
        child.process.end(within: drainTime)
    }
}

extension Isolation.State {
    fileprivate mutating func noteCrash(of client: String, at time: Duration, maximum: Int) {
        crashed += 1
        crashes = crashes.filter { !$0.value.isOver(at: time) }
        crashes[client, default: CrashHistory()].note(time, maximum: maximum)
    }
}

/// The end of the server.
extension Isolation {
    /// Has every process answer the requests that it has, tell its views, and end. A process that takes more than two grace
    /// periods is killed.
    func drain(timers: any TaskExecutor) async {
        let children = state.withLock { state in
            state.isDraining = true
            return state.running.values.map(\.self)
        }
        for child in children { retire(child, since: nil) }
        await awaitLast(limits.drainGrace * 2, timers)
        for child in state.withLock({ Array($0.running.values) }) {
            child.kill("it had not ended within two grace periods (drainGrace) of the server's end")
        }
    }

    private func awaitLast(_ time: Duration, _ timers: any TaskExecutor) async {
        let latch = Latch(count: 1)
        let isOver = state.withLock { state in
            state.onLastProcess = { latch.open() }
            return state.running.isEmpty
        }
        guard !isOver else { return }
        let timer = timers.schedule(after: time, by: clock) { latch.open() }
        await latch.wait()
        timer.cancel()
    }
}
