import JSON
import JSONRPC
import Queues
package import Sessions
import Synchronization
package import Transport
import ViewModelProtocol

/// `--isolate`: each client's sessions are in a process of its own, behind the ports of this one.
///
/// This process owns the sockets, judges tokens, and relays messages; the others are this executable, started again. Any thread
/// may call it.
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
        var relays: [ObjectIdentifier: (loop: EventLoop, relay: LoopBound<Relay>)] = [:]
        /// While the server drains: called when the last process is gone, and when the last relay is.
        var onLastProcess: (@Sendable () -> Void)?
        var onLastRelay: (@Sendable () -> Void)?
    }

    /// How often the memory of a process is looked at.
    private static let interval = Duration.milliseconds(500)

    private let program: Program
    private let registry: Registry
    private let limits: Limits
    private let log: Log
    private let clock: any Clock<Duration>
    private let wrap: @Sendable (any ByteStream) -> any ByteStream
    private let now: @Sendable () -> Duration
    private let state = Mutex(State())

    /// - Parameter wrap: the connection to a process, when it is made. Tests put themselves in its place.
    package init(
        _ program: Program, registry: Registry, limits: Limits, log: Log,
        clock: any Clock<Duration> = ContinuousClock(),
        wrap: @escaping @Sendable (any ByteStream) -> any ByteStream = { $0 }
    ) {
        self.program = program
        self.registry = registry
        self.limits = limits
        self.log = log
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

    /// Serves one client. Called on the stream's loop.
    ///
    /// - Parameters:
    ///   - index: of the connection in the core's list.
    ///   - isPatient: the client has as much time as it likes.
    ///   - onClose: called once, on the loop, with 0.
    func serve(
        _ stream: any ByteStream, core: ServerCore, as index: Int, isPatient: Bool,
        onClose: @escaping @Sendable (Int32) -> Void
    ) {
        let relay = Relay(stream, core: core, isolation: self, index: index, onClose: onClose)
        let entry = (stream.loop, LoopBound(relay, loop: stream.loop))
        state.withLock { $0.relays[ObjectIdentifier(relay)] = entry }
        relay.begin(isPatient: isPatient)
    }

    func remove(_ relay: Relay) {
        let onLast = state.withLock { state in
            state.relays[ObjectIdentifier(relay)] = nil
            return state.relays.isEmpty ? state.onLastRelay : nil
        }
        onLast?()
    }
}

/// The processes.
extension Isolation {
    /// Connects to the process of a client, which is started unless it runs. On the loop that the process is to belong to.
    ///
    /// - Throws: `LimitExceeded` where there are too many processes, or the client's has crashed too often; `InternalError`
    ///   where the system has none.
    func connect(
        to client: String, as relayed: RelayedClient, on loop: EventLoop
    ) throws(RPCError) -> (child: IsolatedChild, stream: any ByteStream) {
        let message = (try? JSONText(encoding: relayed))?.bytes ?? []
        while true {
            let (child, isNew) = try child(of: client, on: loop)
            do throws(SystemError) {
                if let socket = try child.connect(message, isFirst: isNew) {
                    let peer = "process \(child.process.processID)"
                    return (child, wrap(DescriptorStream(socket, peer: peer, loop: loop)))
                }
                // It is about to end.
                forget(child)
            } catch {
                guard error.isDeparture else {
                    throw RPCError(.internalError, "the process for \(client) takes no connection: \(error)")
                }
                // It has ended, which isn't reported yet.
                forget(child)
            }
        }
    }

    private func child(
        of client: String, on loop: EventLoop
    ) throws(RPCError) -> (child: IsolatedChild, isNew: Bool) {
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
        return (child, isNew)
    }

    private func checkStart(of client: String, _ state: inout State) throws(RPCError) {
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
            throw .limitExceeded("isolatedProcesses", reason, retryAfterMilliseconds: 1_000)
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
            let made = IsolatedChild(client, process)
            child = made
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

    private func take(_ report: UnsafeRawBufferPointer, of child: IsolatedChild) {
        // What isn't one counts for nothing.
        guard let counts = ProcessCounts(report, registry) else { return }
        state.withLock { $0.figures.take(counts, of: child.process.processID) }
    }

    private func didEnd(_ child: IsolatedChild, _ ending: ChildProcess.Ending) {
        forget(child)
        // Somebody may keep it for as long as its sessions could be come back to.
        child.process.end()
        let (words, wasTold) = child.didEnd(ending)
        let onLast = state.withLock { state in
            state.running[ObjectIdentifier(child)] = nil
            state.figures.didEnd(child.process.processID)
            if !wasTold { state.noteCrash(of: child.client, at: now(), maximum: limits.isolatedCrashes) }
            return state.running.isEmpty ? state.onLastProcess : nil
        }
        let line = "process \(child.process.processID) of \(child.client) \(words)"
        if wasTold { log.info(line) } else { log.error("\(line); its sessions ended with it") }
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

    /// A connection to the process has ended. After the last one the process ends, too, once nobody can come back to its
    /// sessions.
    func leave(_ child: IsolatedChild, hasHadViews: Bool, on loop: EventLoop) {
        guard let last = child.leave(hasHadViews: hasHadViews) else { return }
        guard last.mayHaveSessions else { return retire(child, since: last.use) }
        loop.schedule(after: limits.resumeWindow) { [self] in retire(child, since: last.use) }
    }

    private func retire(_ child: IsolatedChild, since use: Int?) {
        guard child.retire(since: use) else { return }
        forget(child)
        // Its own drain takes two grace periods at most.
        child.process.end(within: limits.drainGrace * 2 + .seconds(1))
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
    /// Has every process answer what was read, tell its views, and end; then waits until the clients have all of it. A process
    /// that takes more than two grace periods is killed, and all of it takes three at most.
    func drain(timers: any TaskExecutor) async {
        let relays = state.withLock { Array($0.relays.values) }
        let latch = Latch(count: relays.count)
        for (loop, relay) in relays {
            loop.execute { relay.value.drain { latch.countDown() } }
        }
        await latch.wait()
        let children = state.withLock { $0.running.values.map(\.self) }
        for child in children { retire(child, since: nil) }
        await wait(limits.drainGrace * 2, timers) { state, open in
            state.onLastProcess = open
            return state.running.isEmpty
        }
        for child in state.withLock({ Array($0.running.values) }) {
            child.kill("it had not ended within two grace periods (drainGrace) of the server's end")
        }
        await wait(limits.drainGrace, timers) { state, open in
            state.onLastRelay = open
            return state.relays.isEmpty
        }
    }

    /// - Parameter begin: has the second parameter called later, and returns whether there is nothing to wait for.
    private func wait(
        _ time: Duration, _ timers: any TaskExecutor,
        _ begin: (_ state: inout State, _ open: @escaping @Sendable () -> Void) -> Bool
    ) async {
        let latch = Latch(count: 1)
        guard !state.withLock({ begin(&$0) { latch.open() } }) else { return }
        let timer = timers.schedule(after: time, by: clock) { latch.open() }
        await latch.wait()
        timer.cancel()
    }
}
