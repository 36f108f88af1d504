import JSON
import Synchronization
public import ViewModels

/// A view model that runs on a server, for Views in this process: `view.bind(with:)` is the same line as for a local
/// one.
///
/// ```swift
/// let counter: RemoteViewModel<CounterEvent, CounterViewEvent> = server.viewModel("counter")
/// try await view.bind(with: counter)
/// ```
///
/// The two types are those of the server's view model, or your own enums with the cases that matter here: an event of
/// another kind is left out and reported. A view model that has properties or a state instead of events sends an event
/// for each property, `case title(String)`, or one with its state, `case changed(State)`.
///
/// Events come on one of the connection's threads, in order. After a lost connection those that were missed follow;
/// where the server no longer keeps them, the events of a snapshot come instead.
///
/// It is closed by `close()`, or when its last reference is released: then the session that it opened ends, and one
/// that it attached to goes on. Everything may be called on any thread.
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
    /// Requests of the view model to show something on top of its View, in order with its events.
    public let navigation = Output<RemoteNavigation>()
    /// The number of view events that the server hasn't answered, each time that it changes.
    public var pendingCounts: Output<PendingCount> { pendingEvents.counts }
    /// The view events that are left over when the session ends other than by `close()`. Sent once, before `ended`, and
    /// not at all where there are none. `handle(event:)` throws the error of `ended` for each of them.
    public let dropped = Output<PendingViewEvents<ViewEvent>>()
    /// Sent once, when the session ends other than by `close()`: `RemoteError.sessionEnded` with the reason, or the
    /// error that ended the connection.
    public let ended = Output<RemoteError>()

    private let client: Client
    private let source: Source
    private let report: @Sendable (String) -> Void
    private let phase = Mutex(Phase.idle)
    private let failure = Failure()
    private let pendingEvents = PendingEventList<ViewEvent>()

    init(_ source: Source, of client: Client, report: @escaping @Sendable (String) -> Void) {
        self.source = source
        self.client = client
        self.report = report
    }

    /// Opens the session, or attaches to it. `bind(with:)` calls it. Called again it does nothing, unless it threw
    /// before.
    ///
    /// - Throws: `RemoteError`: `refused` when the server doesn't open the session, `closed` when the connection or
    ///   this view model was closed meanwhile, or the error that ended the connection. An error of encoding the
    ///   arguments. `CancellationError` when the task is cancelled.
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
        // The client keeps the receiver, and must not keep this.
        let (pendingEvents, dropped) = (pendingEvents, dropped)
        let receiver = RemoteReceiver(output, navigation, ended, failure, name: name, report: report) {
            let left = pendingEvents.takeAll()
            if left.count.total > 0 { dropped.send(left) }
        }
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

    /// The session's key, with which other clients attach to it; nil unless this is started.
    public var key: String? {
        phase.withLock { phase in if case .started(let view) = phase { view.key } else { nil } }
    }

    /// Sends the event. Returns when the server's handler has, and `output` has sent all that the handler did.
    /// Cancelling the task cancels the handler.
    ///
    /// While the connection is lost, the event waits, and is handled once. Where the connection was lost while the
    /// handler ran, this returns without the handler's error.
    ///
    /// - Throws: `RemoteError`: `refused` with the words of the handler's error, `sessionEnded`, `notStarted`,
    ///   `closed`, or the error that ended the connection. An error of encoding the event. `CancellationError` when the
    ///   task is cancelled.
    public func handle(event: ViewEvent) async throws {
        let view = try view()
        let bytes = try EventEncoder().encode(event)
        let text = JSONText { $0.raw(bytes) }
        let (pendingEvents, number) = (pendingEvents, pendingEvents.nextNumber())
        let note: @Sendable (ViewEventStage) -> Void = { pendingEvents.note($0, of: event, number: number) }
        guard let progress = WorkDoneProgress.current else {
            try await view.send(text, note: note)
            return
        }
        try await view.send(text, progress: { progress.report($0) }, note: note)
    }

    /// The view events that the server hasn't answered now.
    ///
    /// ```swift
    /// let subscription = note.pendingCounts.subscribe { count in
    ///     badge = count.total == 0 ? "saved" : "\(count.total) not saved"
    /// }
    /// let waiting = note.pending.unsent
    /// ```
    ///
    /// An event is in it from when its sending begins until just before `handle(event:)` returns. While the connection
    /// is lost, all wait; once it is back, they are sent in their order, and the server handles each once.
    public var pending: PendingViewEvents<ViewEvent> { pendingEvents.events }

    /// A list of the view model. Its events come to the list, and not to `output`.
    ///
    /// - Parameters:
    ///   - name: of the view model's property. Where there is no such list, the list's `failure` says so.
    ///   - row: the type of a row: the server's own, or a type with the members that matter here. A row of another form
    ///     is left out and reported.
    /// - Throws: `RemoteError`: `notStarted`, or the same as `handle(event:)` where this has ended.
    public func list<Row: Decodable & Sendable>(_ name: String, of row: Row.Type) throws -> RemoteList<Row> {
        try view().list(name, of: row)
    }

    /// Tells the view model that the user has left its View, by a back button or a swipe. Returns when the View is
    /// taken off.
    ///
    /// - Throws: `RemoteError`: `refused` with the view model's words where it doesn't let the user go,
    ///   `connectionLost` when there is no connection now or it isn't known whether this was done, or the same as
    ///   `handle(event:)`.
    public func back() async throws {
        try await view().back()
    }

    /// Ends the session for every client. Called again it does nothing.
    ///
    /// - Throws: nothing in this version.
    public func close() async throws {
        try await leave()?.close()
    }

    /// Leaves the session to other clients. Called again it does nothing.
    ///
    /// - Throws: nothing in this version.
    public func detach() async throws {
        try await leave()?.detach()
    }

    /// The view model of a child that was pushed or presented. It starts when its first View is bound, here or in
    /// another client, and its output begins with its first event, as far as the server keeps them.
    ///
    /// - Parameter child: from `navigation`.
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

extension RemoteViewModel: SchedulingViewModel {}
