import JSON
import Synchronization
import Transport
public import ViewModels

/// A view model that runs on a server, for Views in this process. It is bound by `view.bind(with:)`, as a local one is.
///
/// ```swift
/// let counter: RemoteViewModel<CounterEvent, CounterViewEvent> = server.viewModel("counter")
/// try await view.bind(with: counter)
/// ```
///
/// **Types.** The two types are those of the server's view model, or your own enums with the cases that matter here. An
/// event of another kind is left out and reported. An `ObservableViewModel` sends an event for each property, such as
/// `case title(String)`; a `NotifyingViewModel` sends one event, `case changed(State)`.
///
/// **Order.** Events come on the connection's thread, in order. After a lost connection those that were missed follow.
/// If the server no longer has them, the events of a snapshot come instead.
///
/// **End.** Releasing the last reference leaves the session, as `detach()` does: another client, or this one with its `key`,
/// may come back to it. `close()` ends it. Any thread may call any member.
public final class RemoteViewModel<ViewModelEvent: Decodable & Sendable, ViewEvent: Encodable & Sendable>: ViewModel {
    enum Source {
        case name(String, arguments: @Sendable () throws -> JSONText?)
        /// The session with this key. `since` is the number of the last known event; nil to begin with a snapshot.
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
    /// Sends what the view model shows on or over its View, and what it takes off, in order with its events.
    public let navigation = Output<RemoteNavigation>()
    /// Sends who has a view of the session, this one among them, soon after `start()` and each time that it changes. It sends
    /// nothing unless `RemoteServer.Options.asksWhoIsHere` is set. Of more than a hundred views, a hundred are told.
    public let viewers = Output<[RemoteViewer]>()
    /// Sends the number of view events that the server hasn't answered, each time that it changes.
    public var pendingCounts: Output<PendingCount> { pendingEvents.counts }
    /// Sends the view events that have no answer when the session ends other than by `close()` or `detach()`.
    ///
    /// It sends once, before `ended`, and not at all where there are none. For each of them `handle(event:)` throws the
    /// error of `ended`.
    public let dropped = Output<PendingViewEvents<ViewEvent>>()
    /// Sends once, when the session ends other than by `close()` or `detach()`: `RemoteError.sessionEnded` with the
    /// reason, or the error that ended the connection.
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

    /// Opens the session, or attaches to it. `bind(with:)` calls it. While the connection is lost, it waits.
    ///
    /// Called again it does nothing and returns at once, even while the first call still waits. After a call that threw
    /// it tries again; but `bind(with:)` starts a view model only once, also if that threw.
    ///
    /// - Throws: `RemoteError`: `refused` when the server doesn't open the session or doesn't know its key, `closed`
    ///   when the connection or this view model was closed meanwhile, or the error that ended the connection. An error
    ///   of encoding the arguments. `CancellationError` when the task is cancelled.
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
        // The client retains the receiver, which therefore must not retain this object.
        let (pendingEvents, dropped) = (pendingEvents, dropped)
        let receiver = RemoteReceiver(output, navigation, viewers, ended, failure, name: name, report: report) {
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

    /// The session's key, with which other clients attach to it. Nil before `start()` has returned, and after `close()`
    /// or `detach()`.
    public var key: String? {
        phase.withLock { phase in if case .started(let view) = phase { view.key } else { nil } }
    }

    /// Whether the session's key only lets this program look: `handle(event:)`, `back()` and `close()` are refused. False
    /// before `start()` has returned.
    public var looksOnly: Bool {
        phase.withLock { phase in if case .started(let view) = phase { view.looksOnly } else { false } }
    }

    /// Returns a key for others, with which they see the session and do nothing else. It is the same each time.
    ///
    /// - Throws: `RemoteError`: `connectionLost` if there is no connection now; `sessionEnded`, `notStarted`, `closed`, or the
    ///   error that ended the connection. `CancellationError` when the task is cancelled.
    public func readKey() async throws -> String {
        try await view().readKey()
    }

    /// Sends an event to the server's view model, and returns when its handler has returned and `output` has sent all
    /// that the handler sent.
    ///
    /// Cancelling the task cancels the handler. While the connection is lost, the event waits. It is handled once.
    /// If the connection was lost while the handler ran, this may return without the handler's error.
    ///
    /// - Throws: `RemoteError`: `refused` if the handler threw, with the description of its error, or the
    ///   server doesn't take the event; `sessionEnded`; `notStarted`; `closed`; or the error that ended the connection.
    ///   An error of encoding the event. `CancellationError` when the task is cancelled.
    public func handle(event: ViewEvent) async throws {
        try await handle(event: event, number: pendingEvents.nextNumber())
    }

    private func send(_ event: ViewEvent, number: Int) async throws {
        let view = try view()
        let bytes = try EventEncoder().encode(event)
        let text = JSONText { $0.raw(bytes) }
        let pendingEvents = pendingEvents
        let note: @Sendable (ViewEventStage) -> Void = { pendingEvents.note($0, of: event, number: number) }
        guard let progress = WorkDoneProgress.current else {
            try await view.send(text, note: note)
            return
        }
        try await view.send(text, progress: { progress.report($0) }, note: note)
    }

    /// The view events that the server hasn't answered so far.
    ///
    /// ```swift
    /// let subscription = note.pendingCounts.subscribe { count in
    ///     badge = count.total == 0 ? "saved" : "\(count.total) not saved"
    /// }
    /// let waiting = note.pending.unsent
    /// ```
    ///
    /// An event is among them from the call of `handle(event:)` until just before that returns; one of a bound View from the
    /// time when the View sends it. While the connection is lost, all wait. Once it is back, they are sent in order, and the
    /// server handles each once.
    public var pending: PendingViewEvents<ViewEvent> { pendingEvents.events }

    /// Returns a list of the view model. The events of that list come to the result, and not to `output`.
    ///
    /// - Parameters:
    ///   - name: the name of the view model's property. If there is no such list, the result's `failure` says so.
    ///   - row: the type of a row: the server's own, or a type with the members that matter here. A row of another form
    ///     is nil, and reported.
    /// - Throws: `RemoteError`: `notStarted`, `closed`, or the error of `ended` once the session has ended.
    public func list<Row: Decodable & Sendable>(_ name: String, of row: Row.Type) throws -> RemoteList<Row> {
        try view().list(name, of: row)
    }

    /// Tells the view model that the user has left its View, by a back button or a swipe. Returns when the View is
    /// taken off.
    ///
    /// - Throws: `RemoteError`: `refused` if a view model doesn't let the user go, with its words, or nothing
    ///   has shown this View; `connectionLost` if there is no connection now or it isn't known whether this was
    ///   done; `sessionEnded`, `notStarted`, `closed`, or the error that ended the connection. `CancellationError` when
    ///   the task is cancelled.
    public func back() async throws {
        try await view().back()
    }

    /// Ends the session for every client, and sends nothing any more. Called again it does nothing.
    ///
    /// Returns when the server has ended the session. While the connection is lost, it waits, even if its task is
    /// cancelled.
    ///
    /// - Throws: nothing in this version.
    public func close() async throws {
        try await leave()?.close()
    }

    /// Leaves the session to other clients, and sends nothing any more. Called again it does nothing.
    ///
    /// Returns when the server has taken the view off. While the connection is lost, it waits, even if its task is
    /// cancelled.
    ///
    /// - Throws: nothing in this version.
    public func detach() async throws {
        try await leave()?.detach()
    }

    /// Returns the view model of a pushed or presented child. On the server it starts when its first View is bound, in
    /// this client or another one.
    ///
    /// Its output begins with its first event. If the server no longer has all events, it begins with a snapshot;
    /// where the view model makes none, `start()` throws `refused`.
    ///
    /// - Parameter child: the child, as `navigation` sends it.
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

// The events of its bound Views are handled one after the other, and count as pending from when the View sends them.
extension RemoteViewModel: SchedulingViewModel {
    package func expect(_ event: ViewEvent) -> Int {
        let number = pendingEvents.nextNumber()
        client.loop.execute { [pendingEvents] in pendingEvents.note(.waits, of: event, number: number) }
        return number
    }

    package func handle(event: ViewEvent, number: Int) async throws {
        do {
            try await send(event, number: number)
        } catch {
            // The event may not have reached the connection.
            giveUp(event, number: number)
            throw error
        }
    }

    package func giveUp(_ event: ViewEvent, number: Int) {
        client.loop.execute { [pendingEvents] in pendingEvents.note(.over, of: event, number: number) }
    }
}
