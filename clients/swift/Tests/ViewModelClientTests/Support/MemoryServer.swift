import Examples
import Serving
import Sessions
import Synchronization
import TestSupport
import Transport
import ViewModelClient

/// A server in this process, with streams in memory on one loop that its clients share, which a test cuts as it likes.
final class MemoryServer: Sendable {
    let loop: EventLoop
    /// Of the server.
    let clock = ManualClock()
    let register: @Sendable (inout Registry) -> Void
    let limits: Limits
    let token: String?
    private let state: Mutex<State>

    private struct State {
        var core: ServerCore
        var isReachable = true
        var cuts: [@Sendable () -> Void] = []
        var budget: (@Sendable () -> CutRelay.Budget)?
    }

    init(
        limits: Limits = Limits(), token: String? = nil,
        register: @escaping @Sendable (inout Registry) -> Void = { _ in }
    ) throws {
        self.limits = limits
        self.token = token
        self.register = register
        loop = try EventLoop(name: "memory")
        state = Mutex(State(core: Self.makeCore(limits, token, clock, register)))
        try loop.start()
    }

    private static func makeCore(
        _ limits: Limits, _ token: String?, _ clock: ManualClock, _ register: (inout Registry) -> Void
    ) -> ServerCore {
        var registry = Registry(clock: clock)
        Examples.register(in: &registry)
        register(&registry)
        let tokens = token.flatMap { Token($0) }.map { Tokens($0) }
        return ServerCore(registry: registry, limits: limits, tokens: tokens, clock: clock)
    }

    /// The next connections break after so many bytes.
    func cutAfter(_ budget: (@Sendable () -> CutRelay.Budget)?) {
        state.withLock { $0.budget = budget }
    }

    /// Nobody is there, or is again.
    func setReachable(_ isReachable: Bool) {
        state.withLock { $0.isReachable = isReachable }
    }

    /// Breaks all connections.
    func cut() {
        let cuts = state.withLock { state in
            defer { state.cuts = [] }
            return state.cuts
        }
        loop.execute { for cut in cuts { cut() } }
    }

    /// Breaks the connection that was made first.
    func cutOldest() {
        let cut = state.withLock { $0.cuts.isEmpty ? nil : $0.cuts.removeFirst() }
        loop.execute { cut?() }
    }

    /// How many sessions of a view model there are, with views or without.
    func sessionCount(_ viewModel: String) -> Int {
        state.withLock { $0.core }.counts.models[viewModel]?.sessions ?? 0
    }

    /// Another process, which knows nothing of the sessions.
    func restart() {
        let core = Self.makeCore(limits, token, clock, register)
        state.withLock { $0.core = core }
        cut()
    }

    struct NobodyThere: Error, CustomStringConvertible {
        var description: String { "nobody is there" }
    }

    var target: ClientTarget {
        .streams("memory") { [self] loop in
            let (core, isReachable, budget) = state.withLock { ($0.core, $0.isReachable, $0.budget?()) }
            guard isReachable else { throw NobodyThere() }
            let relay = CutRelay(on: loop, budget: budget ?? .init())
            core.serve(relay.serverSide)
            let bound = LoopBound(relay, loop: loop)
            state.withLock { $0.cuts.append { bound.value.cut() } }
            return relay.clientSide
        }
    }

    func stop() async {
        loop.stop()
        await loop.join()
    }
}

/// Runs `body` with a server and leaves nothing running.
func withMemoryServer(
    limits: Limits = Limits(), token: String? = nil, register: @escaping @Sendable (inout Registry) -> Void = { _ in },
    _ body: (MemoryServer) async throws -> Void
) async throws {
    let server = try MemoryServer(limits: limits, token: token, register: register)
    do {
        try await body(server)
    } catch {
        await server.stop()
        throw error
    }
    await server.stop()
}
