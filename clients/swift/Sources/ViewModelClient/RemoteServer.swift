// One import gives an application all that it needs: the protocol of its Views, and the remote view models that they bind to.
@_exported public import ViewModels

import JSON
import Synchronization
package import Transport
import ViewModelProtocol

/// A server of view models, for an application in Swift.
///
/// ```swift
/// let server = try await RemoteServer.spawn(["view-model-server", "--stdio"])
/// let orders: RemoteViewModel<OrdersEvent, OrdersViewEvent> = server.viewModel("orders")
/// try await view.bind(with: orders)
/// ```
///
/// After a lost connection the client reconnects, as long as this object or one of its view models is referenced. It
/// waits 0.1 s at first, then longer, and never more than 5 s. Requests made meanwhile wait. View events are handled
/// exactly once. The view model events that were missed follow, or a snapshot where the server no longer has them. A
/// server that was spawned ends with its connection, so there is no reconnect.
///
/// Any thread may call any member.
public final class RemoteServer: Sendable {
    /// How the client describes itself to the server, and where it reports.
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
        /// The server's secret token; nil if it demands none.
        public var token: String?
        /// Whether view models are told who else has a view of their session, by `RemoteViewModel.viewers`.
        public var asksWhoIsHere = false
        /// Called with a sentence about each thing that was ignored, such as an event of an unknown kind, and with the
        /// messages that the server sends for people. It is called on the connection's thread, and must not block.
        public var report: @Sendable (String) -> Void = { _ in }

        /// Makes the default options: no token, nothing reported.
        public init() {}
    }

    /// Sends the state of the connection each time that it changes, on the connection's thread.
    public let states: Output<RemoteState>
    private let client: Client
    private let report: @Sendable (String) -> Void
    private let current: CurrentState

    /// Starts a server and talks to it on its standard input and output. The server ends with the connection.
    ///
    /// Its standard error is that of this process.
    ///
    /// - Parameters:
    ///   - command: the program, by its path or by a name that is looked for in `PATH`, and then its arguments. Not
    ///     empty.
    ///   - options: how the client describes itself, and where it reports.
    /// - Throws: `RemoteError`: `unreachable` if the program can't be started, ends before it answers, or doesn't
    ///   answer within 30 s; `notAllowed` if the token is wrong or missing; `refused` if the server doesn't let
    ///   the client in for another reason; `invalidMessage` if the program doesn't speak this protocol.
    ///   `CancellationError` when the task is cancelled.
    public static func spawn(_ command: [String], options: Options = Options()) async throws -> RemoteServer {
        try await reach(.program(command), options)
    }

    /// Connects to a server on TCP.
    ///
    /// - Parameters:
    ///   - host: a name or an address.
    ///   - port: the server's port; not 0.
    ///   - options: how the client describes itself, and where it reports.
    /// - Throws: `RemoteError`: `unreachable` if no server answers within 30 s, or else as `spawn(_:options:)`. The
    ///   client doesn't try again before it has been connected once. `CancellationError` when the task is cancelled.
    public static func connect(
        host: String = "127.0.0.1", port: UInt16, options: Options = Options()
    ) async throws -> RemoteServer {
        try await reach(.tcp(host: host, port: port), options)
    }

    /// Connects to a server on a Unix socket.
    ///
    /// - Parameters:
    ///   - path: the path of the socket, of 107 bytes at most, which is a limit of the system.
    ///   - options: how the client describes itself, and where it reports.
    /// - Throws: `RemoteError`: `unreachable` if no server answers within 30 s, or else as `spawn(_:options:)`. The
    ///   client doesn't try again before it has been connected once. `CancellationError` when the task is cancelled.
    public static func connect(path: String, options: Options = Options()) async throws -> RemoteServer {
        try await reach(.unix(path), options)
    }

    /// Connects to a server as `connect(port:options:)` does.
    package static func reach(_ target: ClientTarget, _ options: Options) async throws -> RemoteServer {
        var client = ClientOptions()
        client.name = options.name
        client.version = options.version
        client.token = options.token
        client.asksWhoIsHere = options.asksWhoIsHere
        return try await reach(target, client, report: options.report)
    }

    /// Connects to a server and returns it once it was reached.
    ///
    /// - Parameter options: the client's options, of which `receive` is replaced.
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

    /// The Swift types of the server's view models with their modules, such as "Finder.FinderViewModel", by name.
    ///
    /// View models that only others can show are among them. Empty if an older server doesn't tell types. Choose a
    /// View by the type of its view model: another server may have the same name for another view model.
    public var viewModelTypes: [String: String] { client.server.types }

    /// Returns who finds the same session by opening this view model; nil if each opening makes one.
    ///
    /// With a scope, a view model that starts shows the session that is there: its output begins with the events of a
    /// snapshot.
    public func scope(of name: String) -> RemoteScope? { client.server.scopes[name] }

    /// Returns a view model on the server. Its session is opened when it starts, which is when its first View is bound.
    ///
    /// - Parameter name: one of `viewModelNames`. With any other, `start()` throws `refused`.
    public func viewModel<ViewModelEvent, ViewEvent>(
        _ name: String
    ) -> RemoteViewModel<ViewModelEvent, ViewEvent> {
        RemoteViewModel(.name(name, arguments: { nil }), of: client, report: report)
    }

    /// Returns a view model on the server, to be made with arguments. Its session is opened when it starts.
    ///
    /// - Parameters:
    ///   - name: one of `viewModelNames`. With any other, `start()` throws `refused`.
    ///   - arguments: as the server's view model takes them. If they can't be encoded, `start()` throws the error of
    ///     encoding them; if the server doesn't take them, `refused`.
    public func viewModel<ViewModelEvent, ViewEvent>(
        _ name: String, arguments: some Encodable & Sendable
    ) -> RemoteViewModel<ViewModelEvent, ViewEvent> {
        RemoteViewModel(.name(name, arguments: { try JSONText(encoding: arguments) }), of: client, report: report)
    }

    /// Returns the view model of an existing session, usually opened by another client. It attaches when it starts.
    ///
    /// Its output begins with the events of a snapshot. If the view model makes none, it begins with all events from
    /// the first one on. If the server no longer has them all, `start()` throws `refused`.
    ///
    /// - Parameter key: the key of the session, as `RemoteViewModel.key` has it in the client that opened it.
    public func viewModel<ViewModelEvent, ViewEvent>(
        key: String
    ) -> RemoteViewModel<ViewModelEvent, ViewEvent> {
        RemoteViewModel(.key(key, since: nil), of: client, report: report)
    }

    /// Returns the sessions that this client's person may come back to, by `viewModel(key:)`, the most recently used first.
    ///
    /// - Throws: `RemoteError`: `refused` if the server's store can't be used; `closed`, or the error that ended the
    ///   connection. `CancellationError` when the task is cancelled.
    public func keptSessions() async throws -> [KeptSession] {
        try await client.keptSessions()
    }

    /// Ends the connection, and leaves the sessions of its view models to whoever comes back: the server keeps those that are
    /// stored, and ends the others where no other client holds them. `RemoteViewModel.close()` ends a session.
    ///
    /// It waits a second at most for the answers to view events. `RemoteViewModel.dropped` gives back those that aren't
    /// answered by then.
    ///
    /// It returns when the connection has ended, and with it a server that was spawned. The view models end with
    /// `RemoteError.closed`. It may be called again.
    public func close() async {
        await client.close(waitingForAnswers: .seconds(1))
    }
}

/// A session that a person may come back to.
public struct KeptSession: Hashable, Sendable {
    /// The session's key, for `RemoteServer.viewModel(key:)`.
    public var key: String
    /// The name under which its view model is registered.
    public var viewModel: String
    /// The arguments that it was opened with, as JSON; nil where there were none.
    public var arguments: String?
    /// What it is about, in a few words; nil where its view model doesn't say so.
    public var title: String?
    /// When somebody last had a view of it, in UTC as in RFC 3339: now, where somebody has.
    public var lastUsed: String
    /// The number of its views on all clients; nil where another server has the session.
    public var views: Int?

    /// Nil for a session that an older server lists, as it is open here.
    init?(_ session: SessionList.ListedSession) {
        guard let lastUsed = session.lastUsed?.rawValue else { return nil }
        (key, viewModel) = (session.key.rawValue, session.viewModel)
        arguments = session.arguments?.description
        (title, self.lastUsed) = (session.title, lastUsed)
        views = session.views?.rawValue
    }
}

/// The state of a connection to a server, from `RemoteServer.state` and `RemoteServer.states`.
public enum RemoteState: Hashable, Sendable {
    /// A connection is being made. Requests wait.
    case connecting
    /// There is a connection.
    case connected
    /// The server that this program started doesn't answer, 10 s long. What was sent waits for it. It is `connected` again
    /// when it answers. A server that runs by itself is connected to again instead.
    case silent
    /// There is a connection, and the server's store can't be used, for this reason in words. Something that was sent waits
    /// for it, at the server or here. It is `connected` again when nothing does.
    case storeUnavailable(reason: String)
    /// The connection is lost, for this reason in words, and is tried again after `delay`. Requests wait.
    case waiting(reason: String, delay: Duration)
    /// The connection has ended for good, with this error. Nil when this program closed it.
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
