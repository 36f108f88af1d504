// One import gives an application all that it needs: the protocol of its Views, and the remote view models that they
// bind.
@_exported public import ViewModels

import JSON
import Synchronization
package import Transport
import ViewModelProtocol

/// A server of view models, as an application in Swift uses it.
///
/// ```swift
/// let server = try await RemoteServer.spawn(["view-model-server", "--stdio"])
/// let orders: RemoteViewModel<OrdersEvent, OrdersViewEvent> = server.viewModel("orders")
/// try await view.bind(with: orders)
/// ```
///
/// After a lost connection the client reconnects, waiting 0.1 s at first and never more than 5 s, as long as this
/// object or one of its view models is referenced. Requests made meanwhile wait. View events are handled exactly once;
/// missed view model events follow, or a snapshot where the server no longer has them. A spawned server can't be
/// reconnected to: it ends with its connection.
///
/// Everything may be called on any thread.
public final class RemoteServer: Sendable {
    /// The client's description of itself, and where it reports.
    ///
    /// ```swift
    /// var options = RemoteServer.Options()
    /// options.token = secret
    /// options.report = { log.notice("\($0)") }
    /// let server = try await RemoteServer.connect(port: 7777, options: options)
    /// ```
    public struct Options: Sendable {
        /// The application's name.
        public var name = "view-model-client"
        /// The application's version.
        public var version: String?
        /// The server's secret, where it wants one.
        public var token: String?
        /// Called with a sentence about everything that was ignored, such as an event of an unknown kind, and with
        /// the messages of the server's log. It is called on one of the connection's threads, which it must not block.
        public var report: @Sendable (String) -> Void = { _ in }

        /// The defaults: no token, nothing reported.
        public init() {}
    }

    /// The state of the connection, each time that it changes.
    public let states: Output<RemoteState>
    private let client: Client
    private let report: @Sendable (String) -> Void
    private let current: CurrentState

    /// Starts a server and talks to it on its standard input and output. Its standard error is this process's. The
    /// server ends with the connection.
    ///
    /// - Parameter command: a path or a name to look for in `PATH`, then the arguments; not empty.
    /// - Throws: `RemoteError`: `unreachable` when the program can't be started or ends before it answers, `notAllowed`
    ///   or `refused` when it doesn't let the client in, `invalidMessage` when it speaks something else.
    ///   `CancellationError` when the task is cancelled.
    public static func spawn(_ command: [String], options: Options = Options()) async throws -> RemoteServer {
        try await reach(.program(command), options)
    }

    /// Connects to a server on TCP.
    ///
    /// - Parameters:
    ///   - host: a name or an address.
    ///   - port: not 0.
    /// - Throws: the same as `spawn(_:options:)`.
    public static func connect(
        host: String = "127.0.0.1", port: UInt16, options: Options = Options()
    ) async throws -> RemoteServer {
        try await reach(.tcp(host: host, port: port), options)
    }

    /// Connects to a server on a Unix socket.
    ///
    /// - Parameter path: at most 107 bytes, a limit of the system.
    /// - Throws: the same as `spawn(_:options:)`.
    public static func connect(path: String, options: Options = Options()) async throws -> RemoteServer {
        try await reach(.unix(path), options)
    }

    private static func reach(_ target: ClientTarget, _ options: Options) async throws -> RemoteServer {
        var client = ClientOptions()
        client.name = options.name
        client.version = options.version
        client.token = options.token
        return try await reach(target, client, report: options.report)
    }

    /// - Parameter options: `receive` is replaced.
    package static func reach(
        _ target: ClientTarget, _ options: ClientOptions, on loop: EventLoop? = nil,
        report: @escaping @Sendable (String) -> Void = { _ in }
    ) async throws -> RemoteServer {
        let current = CurrentState()
        let states = Output<RemoteState>()
        var options = options
        options.receive = { news in
            switch news {
            case .state(let state):
                current.state = state
                states.send(state)
            case .log(_, let message), .ignored(let message): report(message)
            }
        }
        let client = try await Client.connect(to: target, options, on: loop)
        return RemoteServer(client, states, current, report)
    }

    private init(
        _ client: Client, _ states: Output<RemoteState>, _ current: CurrentState,
        _ report: @escaping @Sendable (String) -> Void
    ) {
        self.client = client
        self.states = states
        self.current = current
        self.report = report
    }

    /// The state of the connection now.
    public var state: RemoteState { current.state }

    /// The names of the view models that can be opened, as the server listed them when it was first reached.
    public var viewModelNames: [String] { client.server.viewModels }

    /// The Swift types of the server's view models with their modules, such as "Finder.FinderViewModel", by name; also
    /// of those that only others can show. An older server tells none.
    ///
    /// An application with a View for each view model chooses it by the type: a name may be another server's too.
    public var viewModelTypes: [String: String] { client.server.types }

    /// A view model on the server. Its session is opened when it starts, which is when its first View is bound.
    ///
    /// - Parameter name: one of `viewModelNames`; with any other, `start()` throws.
    public func viewModel<ViewModelEvent, ViewEvent>(
        _ name: String
    ) -> RemoteViewModel<ViewModelEvent, ViewEvent> {
        RemoteViewModel(.name(name, arguments: { nil }), of: client, report: report)
    }

    /// A view model on the server, made with arguments. Its session is opened when it starts.
    ///
    /// - Parameters:
    ///   - name: one of `viewModelNames`; with any other, `start()` throws.
    ///   - arguments: as the server's view model takes them; where they can't be encoded or the server refuses them,
    ///     `start()` throws.
    public func viewModel<ViewModelEvent, ViewEvent>(
        _ name: String, arguments: some Encodable & Sendable
    ) -> RemoteViewModel<ViewModelEvent, ViewEvent> {
        RemoteViewModel(.name(name, arguments: { try JSONText(encoding: arguments) }), of: client, report: report)
    }

    /// The view model of a session that is there already, opened by another client as a rule.
    ///
    /// Its output begins with the events of a snapshot. Where the view model makes none, its events from the first one
    /// on follow as far as the server keeps them, or `start()` throws.
    ///
    /// - Parameter key: of the session, from the `key` of its other `RemoteViewModel`.
    public func viewModel<ViewModelEvent, ViewEvent>(
        key: String
    ) -> RemoteViewModel<ViewModelEvent, ViewEvent> {
        RemoteViewModel(.key(key, since: nil), of: client, report: report)
    }

    /// Ends the connection and the sessions that were opened on it, except those that other clients hold too.
    ///
    /// Returns when that is done, and a server that was spawned has ended. Its view models end with
    /// `RemoteError.closed`. May be called again.
    public func close() async {
        await client.close()
    }
}

/// The state of a connection to a server, from `RemoteServer.state` and `RemoteServer.states`.
public enum RemoteState: Hashable, Sendable {
    /// On the way to the server; requests wait.
    case connecting
    /// Connected.
    case connected
    /// The connection is lost, for this reason in words, and is tried again after `delay`; requests wait.
    case waiting(reason: String, delay: Duration)
    /// Ended for good: with the error that ended it, or nil when it was closed from this side.
    case closed(RemoteError?)
}

/// The state that was reported last.
private final class CurrentState: Sendable {
    private let storage = Mutex(RemoteState.connecting)

    var state: RemoteState {
        get { storage.withLock { $0 } }
        set { storage.withLock { $0 = newValue } }
    }
}
