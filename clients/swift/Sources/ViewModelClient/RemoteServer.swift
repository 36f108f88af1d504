import JSON
import Synchronization
package import Transport
public import ViewModels

/// A server of view models, as an application in Swift uses it.
///
/// ```swift
/// let server = try await RemoteServer.spawn(["view-model-server", "--stdio"])
/// let orders: RemoteViewModel<OrdersEvent, OrdersViewEvent> = server.viewModel("orders")
/// try await view.bind(with: orders)
/// ```
///
/// A connection that is lost is made again, first after 0.1 s and then every 5 s at most, for as long as anybody holds the
/// server or one of its view models. What is asked meanwhile waits; nothing is lost and nothing is done twice. A server
/// that was spawned is gone with its connection.
public final class RemoteServer: Sendable {
    /// What a client may say of itself.
    public struct Options: Sendable {
        /// What the application calls itself.
        public var name = "view-model-client"
        /// The application's version.
        public var version: String?
        /// The server's secret, where it wants one.
        public var token: String?
        /// Called with what had no effect, in words: an event of a kind that isn't known, a message from the server's log.
        /// On a thread of the connection's, which it must not block.
        public var report: @Sendable (String) -> Void = { _ in }

        /// Says nothing in particular.
        public init() {}
    }

    /// How the connection is, each time that it changes.
    public let states: Output<RemoteState>
    let client: Client
    private let report: @Sendable (String) -> Void
    private let current: CurrentState

    /// Starts a server and talks to it on its standard input and output; what it writes to standard error goes to this
    /// process's. It ends with the connection.
    ///
    /// - Parameter command: a path or a name to look for in `PATH`, then the arguments.
    /// - Throws: `RemoteError`: why it can't be started, or how it ended.
    public static func spawn(_ command: [String], options: Options = Options()) async throws -> RemoteServer {
        try await reach(.program(command), options)
    }

    /// Connects to a server on TCP.
    ///
    /// - Throws: `RemoteError`: why it can't be reached.
    public static func connect(
        host: String = "127.0.0.1", port: UInt16, options: Options = Options()
    ) async throws -> RemoteServer {
        try await reach(.tcp(host: host, port: port), options)
    }

    /// Connects to a server on a Unix socket.
    ///
    /// - Throws: `RemoteError`: why it can't be reached.
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

    /// - Parameter options: `receive` is the server's.
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

    /// How the connection is now.
    public var state: RemoteState { current.state }

    /// The names of the view models that can be opened.
    public var viewModelNames: [String] { client.server.viewModels }

    /// A view model on the server, which is made when it starts: when its first View is bound.
    ///
    /// - Parameter name: as the server has registered it.
    public func viewModel<ViewModelEvent, ViewEvent>(
        _ name: String
    ) -> RemoteViewModel<ViewModelEvent, ViewEvent> {
        RemoteViewModel(.name(name, arguments: { nil }), of: client, report: report)
    }

    /// The same with arguments, which the server's view model takes.
    public func viewModel<ViewModelEvent, ViewEvent>(
        _ name: String, arguments: some Encodable & Sendable
    ) -> RemoteViewModel<ViewModelEvent, ViewEvent> {
        RemoteViewModel(.name(name, arguments: { try JSONText(encoding: arguments) }), of: client, report: report)
    }

    /// The view model of a session that there is already, another one's as a rule. Its output begins with the events of a
    /// snapshot; one that makes none can't be bound late.
    public func viewModel<ViewModelEvent, ViewEvent>(
        key: String
    ) -> RemoteViewModel<ViewModelEvent, ViewEvent> {
        RemoteViewModel(.key(key, since: nil), of: client, report: report)
    }

    /// Ends the connection and the sessions that were opened on it, but for those that others hold too. Returns when that is
    /// done, and a server that was spawned has ended. Their view models end with `closed`.
    public func close() async {
        await client.close()
    }
}

/// The state that was told last.
private final class CurrentState: Sendable {
    private let storage = Mutex(RemoteState.connecting)

    var state: RemoteState {
        get { storage.withLock { $0 } }
        set { storage.withLock { $0 = newValue } }
    }
}
