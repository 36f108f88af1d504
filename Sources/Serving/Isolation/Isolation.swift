import JSON
import JSONRPC
import Queues
package import Sessions
import Synchronization
package import Transport
import ViewModelProtocol

/// `--isolate`: each client's sessions are in a process of its own, to which this one has a link.
///
/// The processes are this executable, started again. Any thread may call it.
package final class Isolation: Sendable {
    /// The executable, as it is started for a client.
    package struct Program: Sendable {
        let path: String
        let arguments: @Sendable (_ client: String) -> [String]
        let environment: [String]

        /// - Parameters:
        ///   - arguments: with the program's name first, of the process for this client.
        ///   - environment: `NAME=VALUE`.
        package init(
            path: String, arguments: @escaping @Sendable (_ client: String) -> [String], environment: [String]
        ) {
            self.path = path
            self.arguments = arguments
            self.environment = environment
        }
    }

    /// The figures of `/metrics`.
    struct Counts {
        var running = 0
        var started = 0
        /// Those that ended by themselves.
        var crashed = 0
        var residentBytes = 0
    }

    fileprivate struct State {
        /// By the client. New connections go to these.
        var current: [String: IsolatedChild] = [:]
        /// All that haven't ended.
        var running: [ObjectIdentifier: IsolatedChild] = [:]
        var crashes: [String: CrashHistory] = [:]
        var started = 0
        var crashed = 0
        var figures = ProcessFigures()
        var isDraining = false
        /// While the server drains: called when the last process is gone.
        var onLastProcess: (@Sendable () -> Void)?
    }

    /// Nobody but the other end has the socket of a link.
    static let token: [UInt8] = []
    /// How often the memory of a process is looked at.
    private static let interval = Duration.milliseconds(500)

    private let program: Program
    private let registry: Registry
    let limits: Limits
    private let log: Log
    private let stores: ProcessStores?
    private let clock: any Clock<Duration>
    private let wrap: @Sendable (any ByteStream) -> any ByteStream
    private let now: @Sendable () -> Duration
    private let state = Mutex(State())

    /// - Parameters:
    ///   - journal: has the durable sessions of all processes; nil: all sessions end with their process.
    ///   - wrap: the socket of the link to a process, when it is made. Tests put themselves in its place.
    package init(
        _ program: Program, registry: Registry, limits: Limits, log: Log, journal: (any SessionJournal)? = nil,
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

    /// What the processes have reported of themselves.
    var figures: ProcessFigures { state.withLock { $0.figures } }

    var keepsSessions: Bool { stores != nil }

    /// Has processes told when their scenes may not be in the store as they left them.
    func watchLapses() { stores?.watchLapses() }
}

/// The processes.
extension Isolation {
    /// Opens a channel to the process of a client, which is started unless it runs. On the loop where the channel is to live.
    ///
    /// - Throws: `LimitExceeded` where there are too many processes, or the client's has crashed too often; `InternalError`
    ///   where the system has none; `ViewModelFailed` at the end of the server.
    func connect(
        to client: String, as relayed: RelayedClient, on loop: EventLoop
    ) throws(RPCError) -> (child: IsolatedChild, stream: LinkStream) {
        while true {
            let child = try child(of: client, on: loop)
            if let stream = child.openChannel(for: relayed, on: loop) { return (child, stream) }
            // It is about to end.
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
        // The end is reported to the loop, which has this thread now, and so after the child is made.
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

    /// It has ended, or is about to. One that only gave up its link is of no use to anybody.
    private func didLoseLink(of child: IsolatedChild, on loop: EventLoop) {
        forget(child)
        loop.schedule(after: drainTime) { [weak child] in child?.kill("it gave up its link") }
    }

    /// A process's own drain takes two grace periods at most.
    private var drainTime: Duration { limits.drainGrace * 2 + .seconds(1) }

    private func take(_ report: UnsafeRawBufferPointer, of child: IsolatedChild) {
        // What isn't one counts for nothing.
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
        // Somebody may keep it for as long as its sessions could be come back to.
        child.process.end()
        // Before anybody goes on with its sessions.
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

    /// A channel to the process has ended. After the last one the process ends, too, once nobody can come back to its
    /// sessions.
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
    /// Has every process answer what it was sent, tell its views, and end. One that takes more than two grace periods is killed.
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
