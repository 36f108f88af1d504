/// The half of MVVM that decides what a View shows and what the user's actions do. It doesn't know the View.
///
/// Events go out through `output` and come in through `handle(event:)`. Two enums are all that the two halves know of
/// each other, and a test asserts the sequence of events.
///
/// ```swift
/// actor HelloViewModel: ViewModel {
///     enum ViewEvent: Codable { case sayHello }
///     enum ViewModelEvent: Codable { case helloText(String) }
///
///     let output = Output<ViewModelEvent>()
///
///     func start() { output.send(.helloText("")) }
///     func handle(event: ViewEvent) { output.send(.helloText("Hello")) }
/// }
/// ```
///
/// **Isolation.** The requirements are `async`, so a conforming type chooses its own isolation: an `actor` (the default
/// choice), a `@MainActor` class, or any other `Sendable` class. Its methods may be written without `async` or
/// `throws`. In a `@MainActor` class a method that is `async` needs a `@MainActor` of its own: compilers up to Swift
/// 6.3 take its isolation from this protocol, which has none.
///
/// **Order.** `start()` comes first. Then `handle(event:)` is called for one event at a time, in the order in which the
/// Views sent them, unless an event is a `ScheduledEvent` and says otherwise.
public protocol ViewModel<ViewModelEvent, ViewEvent>: HostableViewModel {
    /// The events that the view model sends to its Views.
    associatedtype ViewModelEvent: Sendable
    /// The events that a View sends to the view model.
    associatedtype ViewEvent: Sendable
    /// The same as `ViewModelEvent`.
    associatedtype HostedEvent = ViewModelEvent
    /// The same as `ViewEvent`.
    associatedtype HostedViewEvent = ViewEvent

    /// Sends the view model's events; one object for the whole life of the view model.
    var output: Output<ViewModelEvent> { get }

    /// Called once, when the first View is bound and already listens, so that no event of it is missed.
    ///
    /// No view event is handled before this returns. Work that goes on for the view model's whole life belongs in a
    /// task of its own. Does nothing unless implemented.
    ///
    /// - Throws: an error, which ends a hosted session with the reason `failed`. A local View gets the error from
    ///   `bind(with:)`.
    func start() async throws

    /// Handles one event of a View: the single point where Views reach the view model.
    ///
    /// The next event waits until this returns, unless it is a `ScheduledEvent` that doesn't. When the View's client
    /// cancels the event, the task that runs this is cancelled.
    ///
    /// - Throws: an error, reported to the sender of this event only. The view model goes on.
    func handle(event: ViewEvent) async throws

    /// The events that bring a newly attached View up to date.
    ///
    /// A late View gets them in place of every event that was ever sent. Unless implemented there is no snapshot, and a
    /// late View gets all events, as long as a session still keeps them.
    ///
    /// It is called in the view model's own isolation but isn't serialized with handlers, so it may run while a handler
    /// awaits. It must not send, and its events must agree with those that were sent so far. If the view model sends an
    /// event meanwhile, the snapshot is discarded and asked for again. A method of another type, such as
    /// `snapshot() -> ViewModelEvent`, is not this one, and is never called.
    ///
    /// - Throws: an error, if there can be no snapshot now.
    func snapshot() async throws -> [ViewModelEvent]
}

extension ViewModel {
    /// Does nothing.
    public func start() {}

    /// This view model, without its type.
    public func hosted() -> AnyViewModel<ViewModelEvent, ViewEvent> { AnyViewModel(self) }

    /// There is no snapshot.
    ///
    /// - Throws: always, an error that says so.
    public func snapshot() throws -> [ViewModelEvent] { throw NoSnapshot() }
}

/// A view model in any of the ways that it can be written: all that a session needs of it.
///
/// Conform to one of three protocols, each of which conforms to this one:
/// * `ViewModel`, with two enums of events,
/// * `ObservableViewModel`, with properties whose changes are the events,
/// * `NotifyingViewModel`, with a state that is sent as a whole whenever it changes.
///
/// **Life.** A session calls `start()` with its first view, `viewsDidAppear()` and `viewsDidDisappear()` in turns as
/// its views come and go, and `stop()` when it ends. Work that goes on by itself need not go on for nobody:
///
/// ```swift
/// actor StatusViewModel: ViewModel {
///     private var polling: Task<Void, Never>?
///
///     func viewsDidAppear() {
///         polling = Task {
///             while !Task.isCancelled {
///                 refresh()
///                 try? await clock.sleep(for: .seconds(1))
///             }
///         }
///     }
///
///     func viewsDidDisappear() { polling?.cancel() }
/// }
/// ```
///
/// The hooks may be written without `async`, and do nothing unless implemented. They are called one at a time, in the
/// view model's own isolation and in its session's order of handlers, so that none runs beside a handler. What a hook
/// sends reaches the Views as any event does, but for the last `viewsDidDisappear()` of a session and `stop()`, after
/// which nobody is left. In a `@MainActor` class one that is `async` needs a `@MainActor` of its own.
public protocol HostableViewModel<HostedEvent, HostedViewEvent>: AnyObject, Sendable {
    /// The events that a session sends to its Views.
    associatedtype HostedEvent: Sendable
    /// The events that they send to the view model.
    associatedtype HostedViewEvent: Sendable

    /// The view model as a `View` can bind it. Called once for each session; the result keeps the view model.
    func hosted() -> AnyViewModel<HostedEvent, HostedViewEvent>

    /// Called when a first view has come: after `start()`, before any view event is handled, and again each time that
    /// one comes while there is none. Does nothing unless implemented.
    ///
    /// The next view event waits until it returns. Where several sessions share the view model, the first view of them
    /// all counts. A local View counts as a view from `bind(with:)` on.
    func viewsDidAppear() async

    /// Called when the last view has gone: detached, closed, lost with its connection, or with its session. Each call
    /// of `viewsDidAppear()` is followed by one of this. Does nothing unless implemented.
    ///
    /// If a view comes back before either could be called, neither is. The session goes on, for a view that comes back
    /// within the resume window.
    func viewsDidDisappear() async

    /// Called once, when the session has ended, by whatever cause: the place to let go of what `start()` took. Does
    /// nothing unless implemented.
    ///
    /// It is called last, after the handler that ran has returned, which was cancelled, and after
    /// `viewsDidDisappear()`. It isn't called for a view model whose `start()` was never called or threw. Where several
    /// sessions share the view model, it is called with the last of them, and the view model isn't started again.
    ///
    /// A server that ends waits for it as long as the limit `drainGrace` (5 s). After that time its task is cancelled,
    /// and the log names the view model. A view model that only Views in this process use has its `deinit` instead.
    func stop() async
}

extension HostableViewModel {
    /// Does nothing.
    public func viewsDidAppear() {}

    /// Does nothing.
    public func viewsDidDisappear() {}

    /// Does nothing.
    public func stop() {}
}
