import Synchronization

/// A view model's own View of another one that many show: a board, a document, a list of one person's.
///
/// The other view model is registered with the scope `person` or `everyone`. Its session is the one that clients get who
/// open it. It is kept as a stored constant, which the session finds:
///
/// ```swift
/// actor BoardScreen: ViewModel, DurableViewModel {
///     let output = Output<ViewModelEvent>()
///     @Saved private var filter = ""
///     private let board: Shared<BoardViewModel>
///
///     init(container: Container, arguments: Arguments) {
///         board = container.shared(BoardViewModel.self, "board", arguments: arguments.board)
///         board.subscribe(self) { screen, event in screen.show(event) }
///     }
///
///     func handle(event: ViewEvent) throws {
///         switch event {
///         case .filter(let text): filter = text
///         case .move(let card, let column): try board.send(.move(card, to: column))
///         }
///     }
/// }
/// ```
///
/// **Order.** The session is opened before `start()` or `resume()`. The first events that subscribers get are those of a
/// snapshot, or of the other's own `start()`. They get all further events one at a time and in order, in turn with this
/// view model's handlers: what a subscriber sends is a turn as a handler's is, and is stored as one. In a
/// `DurableViewModel` each event comes once, in a later life, too, as long as the other one keeps its events. After that a
/// snapshot comes.
///
/// **Sending.** `send(_:)` is over at once. The other view model gets the event when this one's turn is over: for a
/// `DurableViewModel` on a server with a store, when it is stored. From then on it is handled exactly once, on whichever
/// server, and however often either process is killed. The client whose event led to it is answered once the other has
/// handled it, and this view model has taken what it sent meanwhile.
/// What is sent by a view model that is closed or taken off the screen at that moment is handled, too, unless its server is
/// killed just then: nothing is stored of it any more. Its client is answered when the handler has returned.
///
/// **Failures.** Where the other's handler throws, subscribers of `failures` are called. Where there are none, the client
/// whose event led to it is answered with that error.
///
/// **Tests.** Without a server it is what the container resolves for the view model's type:
///
/// ```swift
/// let board = BoardViewModel()
/// container.register { _ in board }
/// try await view.bind(with: BoardScreen(container: container, arguments: arguments))
/// ```
///
/// Any thread may call any member.
public final class Shared<Model: ViewModel>: Sendable
where Model.ViewModelEvent: Codable, Model.ViewEvent: Codable {
    /// An event that the other view model has not handled.
    public struct Failure: Sendable {
        /// The event that was sent.
        public let event: Model.ViewEvent
        /// The error of the handler, or the reason why the event never got there.
        public let error: any Error
    }

    private struct State {
        var line: (any SharedLine)?
        /// The view model of this process, where there is no server.
        var local: LocalLine<Model>?
        var receivers: [EventHandler<Model.ViewModelEvent>] = []
        /// The output that the events are passed on to.
        var output: Output<Model.ViewModelEvent>?
        var lists: [any SharedRows] = []
    }

    /// Tells of events that the other view model has not handled.
    public let failures = Event<Failure>()

    /// The name under which the other view model is registered.
    package let name: String
    package let arguments: any Encodable & Sendable
    private let container: Container
    private let state = Mutex(State())

    init(name: String, arguments: any Encodable & Sendable, container: Container) {
        (self.name, self.arguments, self.container) = (name, arguments, container)
    }

    /// Calls `handler` with each event of the other view model, until the owner is gone. Called before the owner is started.
    ///
    /// - Parameters:
    ///   - owner: held weakly.
    ///   - handler: a closure that is written in a `@MainActor` type runs there, as one given to `Task` does.
    public func subscribe<Owner: AnyObject & Sendable>(
        _ owner: Owner,
        @_inheritActorContext handler: @escaping @Sendable @isolated(any) (Owner, Model.ViewModelEvent) -> Void
    ) {
        add(EventHandler(owner, handler))
    }

    /// Calls `handler` in the isolation of `owner`, an actor, with each event of the other view model. Called before the
    /// owner is started.
    ///
    /// - Parameter owner: held weakly.
    public func subscribe<Owner: Actor>(
        _ owner: Owner, handler: @escaping @Sendable (isolated Owner, Model.ViewModelEvent) -> Void
    ) {
        add(EventHandler(isolatedTo: owner, handler))
    }

    private func add(_ handler: EventHandler<Model.ViewModelEvent>) {
        state.withLock { $0.receivers.append(handler) }
    }

    /// Passes each event of the other view model on as it is, in order with what is sent by `output` itself. A session
    /// doesn't decode it for that, nor encode it again.
    ///
    /// - Parameter output: the output of the view model that has this View.
    public func passOn(to output: Output<Model.ViewModelEvent>) {
        state.withLock { $0.output = output }
    }

    /// Sends an event to the other view model, when the present turn is over; outside of handlers, at once.
    ///
    /// - Throws: an error of encoding the event; `SharedError`; `SessionError.limitExceeded` where as many events wait as a
    ///   session may have waiting.
    public func send(_ event: Model.ViewEvent) throws {
        let (line, local) = state.withLock { ($0.line, $0.local) }
        if let line { return try line.send(event) }
        guard let local else { throw SharedError.notConnected(name) }
        local.send(event)
    }

    /// Returns the events that bring a View up to date, as the other view model makes them now: for the `snapshot()` of a
    /// view model that passes events on.
    ///
    /// - Throws: the error of the other's `snapshot()`, or `SharedError`.
    public func snapshot() async throws -> [Model.ViewModelEvent] {
        let (line, local) = state.withLock { ($0.line, $0.local) }
        if let line { return try await line.snapshot(of: Model.ViewModelEvent.self) }
        guard let local else { throw SharedError.notConnected(name) }
        return try await local.viewModel.snapshot()
    }

    /// Returns a list of the other view model, for Views of this one. Only the rows that somebody looks at are fetched, and
    /// none is kept. Called once for each list, before the owner is started.
    ///
    /// - Parameters:
    ///   - name: the name of the list in the other view model.
    ///   - row: the type of its rows.
    public func rows<Row: Codable & Sendable>(_ name: String, of row: Row.Type = Row.self) -> Rows<Row> {
        let rows = Rows<Row>(count: 0) { [weak self] range in
            guard let self else { throw CancellationError() }
            return try await fetch(name, range)
        }
        state.withLock { $0.lists.append(PassedRows(name: name, rows: rows)) }
        return rows
    }

    private func fetch<Row: Codable & Sendable>(_ list: String, _ range: Range<Int>) async throws -> [Row] {
        let (line, local) = state.withLock { ($0.line, $0.local) }
        if let line { return try await line.rows(of: list, in: range) }
        guard let local else { throw SharedError.notConnected(name) }
        return try await local.rows(of: list, in: range)
    }
}

extension Container {
    /// Returns a View of a view model that many show: see `Shared`.
    ///
    /// - Parameters:
    ///   - model: the type of the other view model.
    ///   - name: the name under which it is registered, with the scope `person` or `everyone`.
    ///   - arguments: by which its session is found.
    public func shared<Model: ViewModel>(
        _ model: Model.Type = Model.self, _ name: String, arguments: some Encodable & Sendable
    ) -> Shared<Model> {
        Shared(name: name, arguments: arguments, container: self)
    }

    /// Returns a View of a view model that many show, and that takes no arguments: see `Shared`.
    ///
    /// - Parameters:
    ///   - model: the type of the other view model.
    ///   - name: the name under which it is registered, with the scope `person` or `everyone`.
    public func shared<Model: ViewModel>(_ model: Model.Type = Model.self, _ name: String) -> Shared<Model> {
        shared(model, name, arguments: NoArguments())
    }
}

private struct NoArguments: Encodable, Sendable {}

/// Why a view model can't use another one that it has a View of.
public enum SharedError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The `Shared` belongs to no view model that was started.
    case notConnected(String)
    /// Two Views of one view model have the same other one.
    case twice(String)
    /// The session can't be opened, for this reason.
    case refused(String, String)
    /// The session was opened and has ended, or isn't known any more.
    case ended(String)

    /// A sentence for people.
    public var description: String {
        switch self {
        case .notConnected(let name):
            "the View of \"\(name)\" is in no session: keep it as a stored `let` of its view model, and use it from start() on"
        case .twice(let name): "the view model has two Views of the same \"\(name)\"; one is enough"
        case .refused(let name, let reason): "\"\(name)\": \(reason)"
        case .ended(let name): "the session of \"\(name)\" has ended"
        }
    }
}

/// The session that a `Shared` is connected with, by its host.
package protocol SharedLine: AnyObject, Sendable {
    func send(_ event: some Encodable & Sendable) throws
    func snapshot<Event: Decodable & Sendable>(of type: Event.Type) async throws -> [Event]
    func rows<Row: Decodable & Sendable>(of list: String, in range: Range<Int>) async throws -> [Row]
}

/// An event that has come for a `Shared`, in a form that its host knows.
package protocol SharedEvent {
    func decoded<Event: Decodable>(as type: Event.Type) throws -> Event
    /// The name of the event's case, or of the list that has changed.
    var kind: String? { get }
    /// The event as a change of a list; nil where it is none.
    var change: SharedListChange? { get }
}

/// A change of a list as its event tells it.
package struct SharedListChange: Sendable {
    package let count: Int
    /// Nil where any row may be another.
    package let edits: [RowsEdit]?

    package init(count: Int, edits: [RowsEdit]?) {
        (self.count, self.edits) = (count, edits)
    }
}

/// A `Shared` as its host sees it, without the types of its events.
package protocol AnyShared: AnyObject, Sendable {
    var name: String { get }
    var arguments: any Encodable & Sendable { get }
    /// The names of the other view model's lists.
    var listNames: [String] { get }
    /// The output that events are passed on to as they are.
    var passedOnOutput: (any AnyOutput)? { get }
    /// Whether somebody takes failures.
    var takesFailures: Bool { get }

    /// Connects with a session.
    func connect(_ line: any SharedLine)
    /// Connects with a view model of this process, and starts it.
    func connectLocally() async throws
    /// Gives an event to the subscribers, and returns when they have taken it.
    func take(_ event: some SharedEvent) async throws
    /// Takes an event of a list.
    func take(listEvent event: some SharedEvent)
    /// Begins a list anew, where a snapshot says nothing of it.
    func begin(listsBeside events: [some SharedEvent])
    /// The coalescing key of an event that is passed on.
    func key(of event: some SharedEvent) throws -> String?
    /// Gives the failure of an event to the subscribers.
    func fail(_ event: some SharedEvent, _ error: any Error) throws
}

extension Shared: AnyShared {
    package var passedOnOutput: (any AnyOutput)? { state.withLock { $0.output } }
    package var listNames: [String] { PropertyNames.lists(of: Model.self)?.map(\.name) ?? [] }
    package var takesFailures: Bool { failures.prune() }

    package func connect(_ line: any SharedLine) {
        state.withLock { $0.line = line }
    }

    package func take(_ event: some SharedEvent) async throws {
        let receivers = state.withLock { $0.receivers }
        guard !receivers.isEmpty else { return }
        let decoded = try event.decoded(as: Model.ViewModelEvent.self)
        for receiver in receivers { await receiver.call(decoded) }
    }

    package func take(listEvent event: some SharedEvent) {
        let kind = event.kind
        guard let list = state.withLock({ $0.lists.first { $0.name == kind } }), let change = event.change else {
            return
        }
        list.apply(change)
    }

    package func begin(listsBeside events: [some SharedEvent]) {
        for list in state.withLock({ $0.lists }) where !events.contains(where: { $0.kind == list.name }) {
            list.apply(SharedListChange(count: 0, edits: nil))
        }
    }

    package func key(of event: some SharedEvent) throws -> String? {
        guard Model.ViewModelEvent.self is any ReplaceableEvent.Type else { return nil }
        return try (event.decoded(as: Model.ViewModelEvent.self) as? any ReplaceableEvent)?.coalescingKey
    }

    package func fail(_ event: some SharedEvent, _ error: any Error) throws {
        failures.raise(Failure(event: try event.decoded(as: Model.ViewEvent.self), error: error))
    }

    package func connectLocally() async throws {
        guard state.withLock({ $0.line == nil && $0.local == nil }) else { return }
        let model: Model = try container.resolve()
        let line = LocalLine(AnyViewModel(model), failures: failures) { [weak self] event in
            await self?.takeLocally(event)
        }
        let lists = state.withLock { state in
            state.local = line
            return state.lists
        }
        for list in lists { list.follow(model) }
        try await line.begin()
    }

    private func takeLocally(_ event: Model.ViewModelEvent) async {
        let (receivers, output) = state.withLock { ($0.receivers, $0.output) }
        output?.send(event)
        for receiver in receivers { await receiver.call(event) }
    }
}

/// A list that is passed on, without the type of its rows.
private protocol SharedRows: Sendable {
    var name: String { get }
    func apply(_ change: SharedListChange)
    func follow(_ model: some AnyObject)
}

private struct PassedRows<Row: Codable & Sendable>: SharedRows {
    let name: String
    let rows: Rows<Row>

    func apply(_ change: SharedListChange) {
        rows.pass(count: change.count, change.edits)
    }

    func follow(_ model: some AnyObject) {
        guard let list = PropertyNames.lists(in: model).first(where: { $0.name == name })?.rows as? Rows<Row> else {
            return
        }
        rows.reload(count: list.count)
        list.changed.subscribe(rows) { rows, change in rows.pass(count: change.count, change.edits) }
    }
}

/// The view model that a `Shared` has where there is no server. Its events come as to any View.
private final class LocalLine<Model: ViewModel>: Sendable
where Model.ViewModelEvent: Codable, Model.ViewEvent: Codable {
    let viewModel: AnyViewModel<Model.ViewModelEvent, Model.ViewEvent>
    private let events: EventQueue<Model.ViewModelEvent>
    private let sent: EventQueue<Model.ViewEvent>
    private let subscription = Mutex<Subscription?>(nil)

    init(
        _ viewModel: AnyViewModel<Model.ViewModelEvent, Model.ViewEvent>, failures: Event<Shared<Model>.Failure>,
        _ take: @escaping @Sendable (Model.ViewModelEvent) async -> Void
    ) {
        self.viewModel = viewModel
        events = EventQueue(receive: take)
        sent = EventQueue { [viewModel] event in
            do {
                try await viewModel.handle(event: event)
            } catch {
                failures.raise(.init(event: event, error: error))
            }
        }
    }

    /// Has the events of the view model's start, or of a snapshot, come first.
    func begin() async throws {
        let isStarted = viewModel.output.sentCount > 0
        subscription.withLock { $0 = viewModel.output.subscribe { [events] in events.push($0) } }
        if isStarted, let snapshot = try? await viewModel.snapshot() {
            for event in snapshot { events.push(event) }
        }
        try await viewModel.start()
    }

    func send(_ event: Model.ViewEvent) {
        sent.push(event)
    }

    func rows<Row: Sendable>(of list: String, in range: Range<Int>) async throws -> [Row] {
        let found = PropertyNames.lists(in: viewModel.base).first { $0.name == list }
        return try await (found?.rows as? Rows<Row>)?.rows(in: range) ?? []
    }

    deinit {
        events.close()
        sent.close()
    }
}
