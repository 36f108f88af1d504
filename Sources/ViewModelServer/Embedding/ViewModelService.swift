public import Hosting
import Serving
public import Sessions
import Synchronization
import Transport
public import ViewModelClient
public import ViewModels

/// A server of view models as a part of a program of yours, beside its HTTP server and its jobs.
///
/// ```swift
/// let service = ViewModelService(.init(tcp: .loopback(7351), store: .sqlite("sessions.db"))) { registry in
///     registry.add("orders", OrdersViewModel.self)
/// }
/// try await service.run()     // until its task is cancelled; then it drains and returns
/// ```
///
/// It takes no signal, reads no argument and no environment, prints nothing, and never ends the process. There may be several
/// in one process. Each has threads of its own, on which handlers run: a loop for each processor, and more where handlers
/// suspend. `@MainActor` view models run where your program runs the main actor.
///
/// Any thread may call any member.
public final class ViewModelService: Sendable {
    /// An address that a service listens on.
    public enum Address: Hashable, Sendable, CustomStringConvertible {
        /// A TCP port, with the number that the kernel chose where 0 was asked for.
        case tcp(TCPAddress)
        /// The path of a Unix socket.
        case unix(String)

        /// The address as it is written: "127.0.0.1:7351", or the path.
        public var description: String {
            switch self {
            case .tcp(let address): "\(address)"
            case .unix(let path): path
            }
        }
    }

    private enum Phase {
        /// Nobody has called `run()`, or it has returned.
        case idle
        case starting(end: Latch)
        case serving(ServiceRun, end: Latch)
        case ending
    }

    private struct State {
        var phase = Phase.idle
        /// Those that wait for the service to serve.
        var waiters: [Int: @Sendable (Result<ServiceRun, any Error>) -> Void] = [:]
        var lastWaiter = 0
        /// Why the service can't go on; nil unless another server has its store.
        var takeover: String?
        /// The loop of the last client of this process, by its index: they take the loops in turn.
        var lastLoop = 0
    }

    private let configuration: Configuration
    private let register: @Sendable (inout Registry) async throws -> Void
    private let state = Mutex(State())

    /// Makes a service that doesn't run yet.
    ///
    /// - Parameters:
    ///   - configuration: what it serves, and to whom.
    ///   - register: adds the view models to an empty registry. It is called once for each `run()`, in its task.
    public init(
        _ configuration: Configuration = Configuration(),
        register: @escaping @Sendable (inout Registry) async throws -> Void
    ) {
        self.configuration = configuration
        self.register = register
    }

    /// Serves until the task is cancelled or `stop()` is called, or until another server takes the store over.
    ///
    /// At the end it drains: it takes no further client, answers the requests that it has read, stops the view models and
    /// stores what is left, in twice the limit `drainGrace` (5 s) at most, and returns. Then it can run again. Where the
    /// service isn't to be drained by cancelling, as in a group of services that ends in order, call `stop()`.
    ///
    /// It waits for a store that isn't available yet, as a Redis that is still starting, and tells the log so.
    ///
    /// - Throws: `StartError` if the service can't start, if it runs already, or if another server has taken the store over;
    ///   the error of `register`.
    public func run() async throws {
        let end = Latch(count: 1)
        try begin(end)
        do {
            let run = try await withTaskCancellationHandler {
                let run = try await start(end)
                serve(run, end)
                await end.wait()
                return run
            } onCancel: {
                end.open()
            }
            state.withLock { $0.phase = .ending }
            await run.finish()
        } catch is CancellationError where end.isOpen {
            // It was stopped before it served anybody.
            fail(with: CancellationError())
        } catch {
            fail(with: error)
            throw error
        }
        let takeover = state.withLock { state in
            state.phase = .idle
            return state.takeover.take()
        }
        if let takeover { throw StartError(.store, takeover) }
    }

    /// Has `run()` drain and return. Nothing happens where it doesn't run.
    public func stop() {
        switch state.withLock({ $0.phase }) {
        case .idle, .ending: break
        case .starting(let end), .serving(_, let end): end.open()
        }
    }

    /// The addresses that the service listens on, once it does: the TCP port first.
    ///
    /// It waits for a `run()` that is still to come.
    ///
    /// - Throws: the error of that `run()`; `CancellationError` when the task is cancelled, or the service was stopped before
    ///   it served.
    public var addresses: [Address] {
        get async throws { try await served().addresses }
    }

    /// The figures of the service now, as its page `/metrics` shows them, and behind them those of your own (`Metrics`). While
    /// it doesn't serve, only the latter.
    public var metrics: [Metric] {
        guard case .serving(let run, _) = state.withLock({ $0.phase }) else { return Metrics.all }
        return ServerMetrics.all(of: run.server.core)
    }

    /// Makes a client in this process, without an address. It waits for a `run()` that is still to come.
    ///
    /// The client is one as any other: it counts for the limits, carries a token where the service wants one, and finds the
    /// sessions of the user whose process this is. After an end of the service it comes back to the next `run()`.
    ///
    /// - Parameter options: how the client describes itself, and where it reports.
    /// - Throws: the error of that `run()`; `RemoteError`, as `RemoteServer.connect(path:options:)`; `CancellationError` when
    ///   the task is cancelled.
    public func connect(options: RemoteServer.Options = RemoteServer.Options()) async throws -> RemoteServer {
        _ = try await served()
        let name = configuration.name
        return try await RemoteServer.reach(
            .streams(name) { [weak self] loop in
                guard let self, let (run, index) = nextLoop else { throw StartError(.address, "\(name) doesn't run") }
                return try Socket.pair(from: loop, to: run.loops.clients[index]) { [core = run.server.core] stream in
                    core.serve(stream)
                }
            }, options)
    }
}

// The states of a service.
extension ViewModelService {
    private func start(_ end: Latch) async throws -> ServiceRun {
        var registry = Registry()
        try await register(&registry)
        return try await ServiceStart(configuration: configuration, registry: registry, end: end) {
            [weak self] reason in
            self?.state.withLock { $0.takeover = reason }
            end.open()
        }.run()
    }

    private func begin(_ end: Latch) throws(StartError) {
        let isIdle = state.withLock { state in
            guard case .idle = state.phase else { return false }
            state.phase = .starting(end: end)
            state.takeover = nil
            return true
        }
        guard isIdle else { throw StartError(.configuration, "\(configuration.name) runs already") }
    }

    private func serve(_ run: ServiceRun, _ end: Latch) {
        let waiters = state.withLock { state in
            state.phase = .serving(run, end: end)
            defer { state.waiters = [:] }
            return state.waiters.values
        }
        for waiter in waiters { waiter(.success(run)) }
    }

    private func fail(with error: any Error) {
        let waiters = state.withLock { state in
            state.phase = .idle
            defer { state.waiters = [:] }
            return state.waiters.values
        }
        for waiter in waiters { waiter(.failure(error)) }
    }

    private var nextLoop: (ServiceRun, index: Int)? {
        state.withLock { state in
            guard case .serving(let run, _) = state.phase else { return nil }
            state.lastLoop = (state.lastLoop + 1) % run.loops.clients.count
            return (run, state.lastLoop)
        }
    }

    /// Returns the service once it serves.
    private func served() async throws -> ServiceRun {
        let waiter = state.withLock { state in
            state.lastWaiter += 1
            return state.lastWaiter
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let run: Result<ServiceRun, any Error>? = state.withLock { state in
                    if case .serving(let run, _) = state.phase { return .success(run) }
                    // A task that is cancelled later finds the waiter.
                    if Task.isCancelled { return .failure(CancellationError()) }
                    state.waiters[waiter] = { continuation.resume(with: $0) }
                    return nil
                }
                if let run { continuation.resume(with: run) }
            }
        } onCancel: {
            state.withLock { $0.waiters.removeValue(forKey: waiter) }?(.failure(CancellationError()))
        }
    }
}
