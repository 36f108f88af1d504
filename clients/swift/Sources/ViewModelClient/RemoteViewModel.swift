import JSON
import Synchronization
public import ViewModels

/// A view model that runs on a server, for Views in this process: `view.bind(with:)` is the same line as for a local one.
///
/// ```swift
/// let counter: RemoteViewModel<CounterEvent, CounterViewEvent> = server.viewModel("counter")
/// try await view.bind(with: counter)
/// ```
///
/// The two types are those of the server's view model, or enums of one's own with the cases that matter here: an event of
/// another kind is left out and reported. A view model that has properties or a state instead of events sends an event for
/// each property, `case title(String)`, or one with its state, `case changed(State)`.
///
/// Events come on a thread of the connection's, in order. After a connection was lost, those that were missed follow; where
/// the server keeps them no more, the events of a snapshot come instead. It is closed with `close()` or with its last
/// reference: then its session ends, or, of one that it only attached to, goes on.
public final class RemoteViewModel<ViewModelEvent: Decodable & Sendable, ViewEvent: Encodable & Sendable>: ViewModel {
    enum Source {
        case name(String, arguments: @Sendable () throws -> JSONText?)
        /// - Parameter since: the last event that is known; nil for a snapshot.
        case key(String, since: Int?)
    }

    private enum Phase {
        case idle
        case starting
        case started(ClientView)
        case left
    }

    /// The server's events, in order.
    public let output = Output<ViewModelEvent>()
    /// What the view model asks to be shown on top of its View, in order with its events.
    public let navigation = Output<RemoteNavigation>()
    /// Sent once, when the session ends other than by this side: `sessionEnded` with the reason, as a rule.
    public let ended = Output<RemoteError>()

    private let client: Client
    private let source: Source
    private let report: @Sendable (String) -> Void
    private let phase = Mutex(Phase.idle)
    private let failure = Failure()

    init(_ source: Source, of client: Client, report: @escaping @Sendable (String) -> Void) {
        self.source = source
        self.client = client
        self.report = report
    }

    /// Opens the session, or attaches to it. Called by `bind(with:)`; again does nothing.
    ///
    /// - Throws: `RemoteError`: why the server doesn't open it.
    public func start() async throws {
        let isFirst = phase.withLock { phase in
            guard case .idle = phase else { return false }
            phase = .starting
            return true
        }
        guard isFirst else { return }
        do {
            let view = try await makeView()
            let isLeft = phase.withLock { phase in
                guard case .starting = phase else { return true }
                phase = .started(view)
                return false
            }
            if isLeft { throw RemoteError.closed }
        } catch {
            phase.withLock { if case .starting = $0 { $0 = .idle } }
            throw error
        }
    }

    private func makeView() async throws -> ClientView {
        // What the client keeps must not keep this.
        let receiver = RemoteReceiver(output, navigation, ended, failure, name: name, report: report)
        switch source {
        case .name(let name, let arguments):
            return try await client.open(name, arguments: arguments()) { receiver.take($0) }
        case .key(let key, let since):
            return try await client.attach(key: key, since: since) { receiver.take($0) }
        }
    }

    private var name: String {
        switch source {
        case .name(let name, _): name
        case .key: "a session"
        }
    }

    /// Whoever has it may attach to the session; nil before it is started.
    public var key: String? {
        phase.withLock { phase in if case .started(let view) = phase { view.key } else { nil } }
    }

    /// Sends the event. Returns when it was handled, and `output` has sent all that its handler did. Cancelling the task
    /// cancels the handler.
    ///
    /// While the connection is lost it waits, and is handled once; where the connection was lost while the handler ran, an
    /// error of it isn't known.
    ///
    /// - Throws: `RemoteError`, of a handler that threw the error's own words; `CancellationError`.
    public func handle(event: ViewEvent) async throws {
        let view = try view()
        let text = try JSONText(event: event)
        guard let progress = WorkDoneProgress.current else {
            try await view.send(text)
            return
        }
        try await view.send(text) { progress.report($0) }
    }

    /// Tells the view model that the user has left what its View shows: by a back button, a swipe. It may refuse.
    ///
    /// - Throws: `RemoteError`, of one that refuses its own words.
    public func back() async throws {
        try await view().back()
    }

    /// Ends the session for everyone. Again does nothing.
    public func close() async throws {
        try await leave()?.close()
    }

    /// Leaves the session to others. Again does nothing.
    public func detach() async throws {
        try await leave()?.detach()
    }

    /// The view model that was pushed or presented. It starts with its first View, here or anywhere, and has all its events
    /// told from the first one on, as far as the server keeps them.
    public func child<Event, OtherEvent>(_ child: RemoteChild) -> RemoteViewModel<Event, OtherEvent> {
        RemoteViewModel<Event, OtherEvent>(.key(child.key, since: 0), of: client, report: report)
    }

    private func view() throws -> ClientView {
        if let error = failure.error { throw error }
        return try phase.withLock { phase in
            switch phase {
            case .started(let view): return view
            case .left: throw RemoteError.closed
            case .idle, .starting: throw RemoteError.notStarted
            }
        }
    }

    private func leave() -> ClientView? {
        phase.withLock { phase in
            defer { phase = .left }
            if case .started(let view) = phase { return view }
            return nil
        }
    }
}
