import Hosting
import LibC
import Serving
import Sessions
import Synchronization
import Transcripts
import Transport
import ViewModels

/// Serves clients until the client that spawned the process is gone, or until a signal.
final class Serve: Sendable {
    private let options: ServeOptions
    private let sockets: InheritedSockets
    private let server: RunningServer
    private let core: ServerCore
    private let log: ServerLog
    /// The token of `--token auto`. It can be read nowhere else.
    private let madeToken: Token?
    private let loops: [EventLoop]
    /// The loop of signals, the parent's end and new clients. Handlers that block a client's loop don't delay it.
    private let control: EventLoop
    private let recordings: RecordingFolder?
    /// Whether there is a store: this process's own, or that of the server with `--isolate` that has started it.
    private let keepsSessions: Bool
    private let end = EndOfProcess()
    private let isDraining = Mutex(false)
    /// Opened once the process's own client is served, so that a drain after an early signal includes that client.
    private let isServing = Latch(count: 1)
    /// The output of view models, so that what they print never waits for a reader. Nil until the protocol's own descriptors
    /// are out of the way.
    private let printed = Mutex<PrintedOutput?>(nil)
    /// Sends the last figures of a client's process to the server that has started it.
    private let lastReport = Mutex<(@Sendable () async -> Void)?>(nil)
    private let printedBytes: Int
    private let shutDown: UserShutDown
    /// Whether the control loop has begun to run.
    private let isControlled = Mutex(false)

    /// EX_TEMPFAIL of sysexits.h, which allows a supervisor to start the server again.
    private static let takenOverStatus: Int32 = 75

    /// Makes a server.
    ///
    /// - Parameters:
    ///   - registry: must come from `Application.registry()`; the user's server is shut down at the end.
    ///   - sockets: listening sockets to serve besides the addresses of the options.
    init(
        _ application: Application, _ options: ServeOptions, _ registry: Registry, _ sockets: InheritedSockets = .none
    ) throws {
        guard sockets == .none || !options.namesOneClient else {
            throw UsageError(
                message:
                    "--stdio, --pipe and --socket serve one client, and this process was started with a listening socket"
            )
        }
        self.options = options
        self.sockets = sockets
        var limits = application.limits
        for limit in options.limits { try limit.set(in: &limits) }
        if options.isolates, !options.namesTransport, isatty(STDIN_FILENO) == 0 {
            throw UsageError(
                message: "--isolate needs --tcp or --unix: over standard input the process is one client's")
        }
        log = ServerLog(
            level: options.logLevel, clientLines: limits.clientLogLines, lines: limits.logLines,
            time: { TimeOfDay.now.description }, write: { StandardError.write($0) })
        printedBytes = limits.printedBytes
        let isIsolated = options.isolatedClient != nil
        if isIsolated { ThisProcess.endWithParent() }
        madeToken = try options.makesToken && !isIsolated ? Token.made() : nil
        let tokens = isIsolated ? nil : try madeToken.map { Tokens($0) } ?? Tokens.demanded(file: options.tokenFile)
        for address in options.tcp where !address.isLoopback && tokens == nil && !isIsolated {
            throw Self.usageError(RunningServer.OpenToAll(address: "\(address)"))
        }
        if options.store.place != nil {
            do { try registry.checkDurability() } catch { throw StartFailure(reason: error) }
        }
        // One client needs one loop; many clients are spread over the cores.
        let servesMany =
            !isIsolated && (sockets != .none || (options.namesTransport && !options.namesOneClient))
        ProcessMemory.returnLargeBlocks()
        shutDown = UserShutDown(
            call: application.host.shutDown, grace: limits.drainGrace
        ) { [log] in log.warning($0) }
        let threads = try ServerLoops(
            count: servesMany ? ServerLoops.countForMany : 1, limits: limits, log: log)
        (loops, control) = (threads.clients, threads.control)
        recordings = isIsolated ? nil : try options.recordings(of: application, log)
        let parent = ParentWatch(loop: control, end: end)
        let store =
            isIsolated
            ? nil
            : try options.store.open(log, isolates: options.isolates) { [log, end] reason in
                log.error("\(reason), so this one ends")
                end.finish(with: .success(Self.takenOverStatus))
            }
        let journal = store?.journal
        let processJournal = isIsolated && options.store.place != nil ? ProcessJournal(on: control) : nil
        keepsSessions = journal != nil || processJournal != nil
        let links =
            isIsolated
            ? IsolatedServer.links(on: loops[0], journal: processJournal)
            : options.isolates ? nil : store?.links(on: loops)
        core = ServerCore(
            name: application.name, version: application.version, registry: registry,
            limits: limits, tokens: tokens, contracts: try options.contracts(of: registry),
            log: log, pool: threads.pool,
            isolation: options.isolates && !isIsolated
                ? Isolation(.thisOne, registry: registry, limits: limits, log: log, journal: journal) : nil,
            links: links, timers: control, journal: journal ?? processJournal,
            isProcess: isIsolated, onParent: { parent.watch($0) },
            record: { [recordings] in recordings?.record($0) ?? $0 })
        core.sessions.watchMemory(
            MemoryWatch(memoryBytes: limits.memoryBytes, unusedBytes: limits.unusedBytes, timers: control))
        server = RunningServer(core, on: threads, log: log, store: store) {
            RunningServer.Web(
                page: try options.page(of: application), allowedOrigins: options.allowedOrigins,
                opensMetrics: options.opensMetrics, buildState: options.readsBuildState)
        }
        if let id = options.clientProcessID { parent.watch(id) }
    }

    /// Serves until the end, and returns the exit status. If clients were served, calls `exit` with the status instead, on the
    /// control loop: the caller's thread may be one that view models hold.
    func run(exit: (@Sendable (Int32) -> Never)?) async throws -> Int32 {
        if !servesOneClient { await ThisProcess.openClocks() }
        do {
            try begin()
            // Only after the start: a server that a script starts for one request has no time for it.
            if options.isolatedClient == nil, log.takes(.warning) {
                control.schedule(after: .seconds(1)) { [core, log] in Oversight.warn(of: core, in: log) }
            }
        } catch {
            end.finish(with: .failure(error))
        }
        let executor: any TaskExecutor = isControlled.withLock { $0 } ? control : globalConcurrentExecutor
        let task = Task.detached(executorPreference: executor) { [self] in
            let outcome = await end.status()
            await close()
            if let exit, case .success(let status) = outcome { exit(status) }
            return outcome
        }
        return try await task.value.get()
    }

    /// Stops the view models that no drain has stopped, shuts the user's server down, and releases everything else. On the
    /// control loop.
    private func close() async {
        await server.stopSessions()
        await shutDown.run(timers: control)
        await lastReport.withLock { $0 }?()
        await server.closeStore()
        await recordings?.close(within: Record.grace, timers: control)
        printed.withLock { $0 }?.close()
        server.stop()
    }

    private func begin() throws {
        // Signals are watched first: a client may send one as soon as it reads an answer.
        try control.prepare { try watchSignals() }
        if let client = options.isolatedClient {
            try divertPrintedOutput(of: "the process of \(client)")
            return try serveIsolated()
        }
        guard servesOneClient else {
            try divertPrintedOutput()
            return try beginToListen()
        }
        try loops[0].prepare { try serveOneClient(on: loops[0]) }
        let firstTurn = loops[0].endOfFirstTurn()
        try startLoops()
        // The client waits for its first answer, which this thread's next step, a switch to the main actor, would delay.
        firstTurn.wait(atMost: .milliseconds(100))
    }

    private func startLoops() throws {
        try server.start(sweepsStore: keepsSessions)
        isControlled.withLock { $0 = true }
    }

    private var servesOneClient: Bool {
        options.isolatedClient == nil
            && (options.namesOneClient
                || (!options.namesTransport && sockets == .none && isatty(STDIN_FILENO) == 0))
    }

    private func beginToListen() throws {
        isServing.open()
        if let limit = DescriptorLimit.raise() {
            log.debug("\(limit.now) descriptors may be open, where it was \(limit.before)")
        }
        try startLoops()
        // Runs on the control loop, since looking up a host may take time.
        control.execute { [self] in
            do {
                try listen()
            } catch {
                end.finish(with: .failure(error))
            }
        }
    }

    private func listen() throws {
        guard options.namesTransport || sockets != .none else { return try listenForPerson() }
        for descriptor in sockets.descriptors { try listen(ListeningSocket(inherited: descriptor)) }
        for address in options.tcp { try listen(address) }
        for path in options.unix { try server.listen(path: path) }
    }

    private func serveOneClient(on loop: EventLoop) throws {
        defer { isServing.open() }
        if let path = options.pipe {
            try divertPrintedOutput()
            Socket.connect(path: path, on: loop) { [self] in serveHost($0) }
        } else if let port = options.socket {
            try divertPrintedOutput()
            Socket.connect(host: "127.0.0.1", port: port, on: loop) { [self] in serveHost($0) }
        } else {
            let stream = try Stdio.open(on: loop)
            try divertPrintedOutput()
            serveAlone(stream)
        }
    }

    /// Serves the client of a server with `--isolate`, until that server says that nobody comes back, or has ended.
    private func serveIsolated() throws {
        isServing.open()
        _ = DescriptorLimit.raise()
        let report = try control.prepare {
            try IsolatedServer.begin(
                core, on: control, serving: loops[0], output: printed.withLock { $0 }
            ) { [self] in drain() }
        }
        try startLoops()
        // After the start of the loops, since the report waits for one.
        lastReport.withLock { $0 = report }
    }

    private func divertPrintedOutput(of process: String = "the process") throws {
        let crash = "\(process) ends, and every session with it\(keepsSessions ? " that isn't stored" : "")"
        try printed.withLock { $0 = try PrintedOutput(maximumBytes: printedBytes, crash: crash) }
    }

    private func serveHost(_ result: Result<DescriptorStream, SystemError>) {
        switch result {
        case .success(let stream): serveAlone(stream)
        case .failure(let error): end.finish(with: .failure(error))
        }
    }

    /// Serves one client. The process ends with this client's connection.
    private func serveAlone(_ stream: DescriptorStream) {
        serve(stream, isProcess: true) { [self] status in
            // While the server drains, a signal decides the exit status, even if it came together with the end of the input, as
            // when Emacs ends: the control loop takes the signal first.
            control.execute { [self] in
                if !isDraining.withLock({ $0 }) { end.finish(with: .success(status)) }
            }
        }
    }

    private func serve(
        _ stream: DescriptorStream, isProcess: Bool = false, onClose: @escaping @Sendable (Int32) -> Void = { _ in }
    ) {
        core.serve(stream, isProcess: isProcess, onClose: onClose)
    }

    @discardableResult
    private func listen(_ address: TCPAddress) throws -> String {
        try listen(ListeningSocket(host: address.host, port: address.port))
    }

    /// Listens, and returns the address. Throws `UsageError` if other machines can reach the socket and clients need no token.
    @discardableResult
    private func listen(_ socket: consuming ListeningSocket) throws -> String {
        let listener: Listener
        do {
            listener = try server.listen(socket)
        } catch let error as RunningServer.OpenToAll {
            throw Self.usageError(error)
        }
        if listener.port != nil, let madeToken {
            // Behind the #, as browsers don't send that part to a server.
            let page =
                options.hasWeb ? "; the web page, with it: http://\(listener.address)/#token=\(madeToken.text)" : ""
            log.notice("clients must carry the token \(madeToken.text)\(page)")
        }
        return listener.address
    }

    private static func usageError(_ open: RunningServer.OpenToAll) -> UsageError {
        UsageError(message: "\(open); give clients a token with --token-file or \(Token.variable)")
    }

    /// Serves on loopback and prints how to try it, for a start on a terminal without arguments.
    private func listenForPerson() throws {
        var address: String
        do {
            address = try listen(.fallback)
        } catch {
            log.notice("\(error); taking another port")
            address = try listen(TCPAddress(host: TCPAddress.fallback.host, port: 0))
        }
        let reach = address.split(separator: ":").joined(separator: " ")
        let names = core.registry.names
        log.notice("serving \(names.isEmpty ? "no view model" : names.joined(separator: ", ")); Ctrl-C ends it")
        if options.hasWeb {
            log.notice("\nIn a browser:\n  http://\(address)/\(madeToken.map { "#token=\($0.text)" } ?? "")")
        }
        guard let name = core.registry.firstName else { return }
        log.notice(
            """

            Or in another terminal, with '\(core.name) connect \(address)', or by hand; there, each line is a message:
              nc \(reach)
              {"jsonrpc":"2.0","id":1,"method":"initialize"}
              {"jsonrpc":"2.0","id":2,"method":"session/open","params":{"viewModel":"\(name)"}}
            """)
    }

    private func watchSignals() throws {
        _ = try SignalWatcher(on: control, secondEnds: true) { [self] signal in
            isDraining.withLock { $0 = true }
            log.info("signal \(signal): draining")
            server.stopListening()
            drain()
        }
    }

    /// Drains all clients. All waiting here is on the control loop, as view models may hold all threads of Swift's own pool.
    private func drain() {
        Task.detached(executorPreference: control) { [server, end, isServing] in
            await isServing.wait()
            await server.drain()
            end.finish(with: .success(0))
        }
    }
}

extension Isolation.Program {
    /// This executable with the same arguments, and so the same options of the user's. The token is left out of the
    /// environment, as the process has no use for it.
    fileprivate static var thisOne: Self {
        let arguments = CommandLine.arguments
        return Self(
            // The file that runs now, even if another file has replaced it since.
            path: "/proc/self/exe",
            arguments: { client in
                [arguments.first ?? "", "\(ServeOptions.isolatedOption)=\(client)"] + arguments.dropFirst()
            },
            environment: ThisProcess.environment.filter { !$0.hasPrefix("\(Token.variable)=") })
    }
}
