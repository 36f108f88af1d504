import Examples
import JSONRPC
import Serving
import Sessions
import Synchronization
import TestSupport
import Transport
import ViewModels

/// A server in this process: real loops, streams in memory, a clock that the test moves, and keys that can be foretold.
final class TestServer: Sendable {
    let clock = ManualClock()
    let core: ServerCore
    let loops: [EventLoop]
    /// Makes the links to servers with the same store, which are served on these loops.
    struct Links {
        let make: (_ loops: [EventLoop]) -> ServerLinks
    }

    /// What the server logged for whoever runs it.
    let log = Recorder<String>()

    /// - Parameters:
    ///   - loops: connections are spread over so many threads.
    ///   - hasPool: handlers go on in a pool, and loops that are held in other threads, as in the executable. Else everything
    ///     of a connection is on its loop.
    ///   - program: the path of a program and its arguments, which is started for each client. Else this server serves them.
    ///   - farSide: plays the processes of such a program.
    ///   - register: adds the test's own view models to the examples and the probe.
    init(
        loops: Int = 1, limits: Limits = Limits(), tokens: Tokens? = nil, hasPool: Bool = false,
        journal: (any SessionJournal)? = nil, keyPrefix: String = "key-",
        links: Links? = nil,
        program: [String]? = nil,
        farSide: FarSide? = nil,
        register: (inout Registry) -> Void = { _ in }
    ) throws {
        var registry = Registry()
        Examples.register(in: &registry)
        ProbeViewModel.register(in: &registry)
        register(&registry)
        let lastKey = Atomic<Int>(0)
        let watch = hasPool ? HoldWatch(maximumHold: limits.handlerTime) : nil
        self.loops = try (0..<loops).map { [clock] in try EventLoop(name: "test \($0)", clock: clock, watch: watch) }
        let written = ServerLog(
            level: .debug, clientLines: limits.clientLogLines, lines: limits.logLines, clock: clock,
            write: { [log] in log.record($0) })
        let isolation = (program ?? farSide.map { _ in FarSide.program }).map { [clock] program in
            Isolation(
                .init(path: program[0], arguments: { _ in program }, environment: []), registry: registry,
                limits: limits, log: written, clock: clock,
                wrap: { farSide?.wrap($0) ?? $0 })
        }
        core = ServerCore(
            version: "1.2.3", registry: registry, limits: limits, tokens: tokens, log: written,
            pool: watch.map { WorkerPool(groupThreads: limits.handlerThreads, watch: $0) },
            isolation: isolation, links: links?.make(self.loops), clock: clock,
            makeKey: { "\(keyPrefix)\(lastKey.wrappingAdd(1, ordering: .relaxed).newValue)" }, journal: journal)
        for loop in self.loops { try loop.start() }
    }

    /// A new connection.
    ///
    /// - Parameters:
    ///   - pieceBytes: the server reads at most so many bytes at a time.
    ///   - isProcess: false for one client of many, which may be refused.
    ///   - capacity: bytes that the client's side takes before it must read.
    ///   - isPatient: the client has as much time as it likes.
    func connect(
        _ framing: TestFraming = .lines, loop: Int = 0, pieceBytes: Int = .max, capacity: Int = 64 << 10,
        isPatient: Bool = true, isProcess: Bool = true
    ) async -> TestClient {
        let loop = loops[loop]
        let client = TestClient(framing: framing, loop: loop)
        await withCheckedContinuation { continuation in
            loop.execute { [core] in
                let (near, far) = MemoryStream.pair(loop: loop, capacity: capacity, pieceBytes: pieceBytes)
                client.begin(near)
                far.start()
                core.serve(Self.framed(far, framing), isProcess: isProcess, isPatient: isPatient) {
                    client.didEnd(status: $0)
                }
                continuation.resume()
            }
        }
        return client
    }

    private static func framed(_ stream: MemoryStream, _ framing: TestFraming) -> any ByteStream {
        guard framing == .webSocket else { return stream }
        let webSocket = WebSocketStream(stream)
        // A test may take its time on a busy machine, and pings go by the real one.
        webSocket.settings.pingInterval = .seconds(3_600)
        webSocket.settings.closeTime = .seconds(60)
        return webSocket
    }

    /// A new connection after its `initialize`.
    func connected(
        _ framing: TestFraming = .lines, loop: Int = 0, capacity: Int = 64 << 10, isPatient: Bool = true
    ) async throws -> TestClient {
        let client = await connect(framing, loop: loop, capacity: capacity, isPatient: isPatient)
        client.send(#"{"jsonrpc":"2.0","id":0,"method":"initialize"}"#)
        _ = try await client.next()
        return client
    }

    /// Moves the clock of the server and its loops.
    func pass(_ time: Duration) {
        clock.advance(by: time)
        // A loop looks at its clock in each turn, and isn't woken by it.
        for loop in loops { loop.execute {} }
    }

    /// Moves the clock, and again where the condition doesn't come: a session that is busy when its time is over gets the same
    /// time once more. It is moved seldom, as what is stored is kept for days and not for ever.
    func pass(_ time: Duration, until condition: () -> Bool) async {
        pass(time)
        var (looks, next) = (0, 1_000)
        await until {
            if condition() { return true }
            looks += 1
            if looks == next {
                next *= 2
                pass(time)
            }
            return false
        }
    }

    /// Lets turns of the loops pass, in which what was sent before arrives.
    func turns() async throws {
        for loop in loops {
            for _ in 0..<4 {
                await withCheckedContinuation { continuation in loop.execute { continuation.resume() } }
            }
        }
    }

    /// The session with this key, until it ends.
    func session(withKey key: String) -> Session? {
        core.sessions.session(withKey: key)
    }

    /// How often each limit was exceeded, by its name.
    var exceeded: [String: Int] { core.counts.exceeded }
    /// Errors that clients were answered.
    var errors: [ErrorCode: Int] { core.counts.errors }
    /// The sessions in memory, of all view models.
    var sessionCount: Int { core.counts.models.values.map(\.sessions).reduce(0, +) }
    /// Sessions without views that ended since there was too much.
    var abandonedEnded: Int { core.counts.abandonedEnded }
    /// The memory that all sessions keep.
    var keptBytes: Int { core.counts.keptBytes }
    /// The memory of sessions without views.
    var abandonedBytes: Int { core.counts.abandonedBytes }
    /// The text of `/metrics`.
    var metrics: String { page("/metrics") }
    var health: String { page("/healthz") }

    private func page(_ path: String) -> String {
        let page = Site(core: core, opensMetrics: true).answer(HTTPRequest(method: "GET", path: path))
        guard case .response(let response) = page else { return "" }
        return String(decoding: response.body, as: UTF8.self)
    }
    /// The connections that are open.
    var connectionCount: Int { core.counts.connections }
    /// All connections that there ever were.
    var allConnectionCount: Int { core.counts.allConnections }
    /// The input that isn't whole, of all clients.
    var unfinishedBytes: Int { core.inputBudget.bytes }

    func stop() async {
        for loop in loops { loop.stop() }
        for loop in loops { await loop.join() }
    }
}

/// Runs `body` with a server and leaves nothing running.
func withServer(
    loops: Int = 1, limits: Limits = Limits(), token: String? = nil, tokens: Tokens? = nil, hasPool: Bool = false,
    journal: (any SessionJournal)? = nil, program: [String]? = nil,
    farSide: FarSide? = nil,
    register: (inout Registry) -> Void = { _ in },
    _ body: (TestServer) async throws -> Void
) async throws {
    let server = try TestServer(
        loops: loops, limits: limits, tokens: token.flatMap { Token($0) }.map { Tokens($0) } ?? tokens,
        hasPool: hasPool, journal: journal, program: program, farSide: farSide, register: register)
    do {
        try await body(server)
    } catch {
        await server.stop()
        throw error
    }
    await server.stop()
}
