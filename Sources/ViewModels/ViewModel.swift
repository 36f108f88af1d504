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
    /// What a session sends to its Views: `ViewModelEvent`.
    associatedtype HostedEvent = ViewModelEvent
    /// What a session hands to the view model: `ViewEvent`.
    associatedtype HostedViewEvent = ViewEvent

    /// Sends the view model's events. It is one object for the whole life of the view model.
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
    /// The next event waits until this returns, unless it is a `ScheduledEvent` that doesn't wait. When the View's
    /// client cancels the event, the task that runs this is cancelled.
    ///
    /// - Throws: an error, reported to the sender of this event only. The view model goes on.
    func handle(event: ViewEvent) async throws

    /// The events that bring a newly attached View up to date.
    ///
    /// A View that comes late gets them in place of all events that were ever sent. Unless implemented there is no
    /// snapshot. A late View then gets all events, as long as the session keeps them, and after that
    /// `ReplayUnavailable`.
    ///
    /// It is called in the view model's own isolation, but not in turn with handlers: it may run while a handler
    /// awaits. It must not send, and its events must agree with those that were sent so far. If the view model sends an
    /// event meanwhile, the snapshot is discarded and asked for again, for as long as the limit `snapshotTime` (30 s).
    ///
    /// A method of another type, such as `snapshot() -> ViewModelEvent`, is not this one, and is never called.
    ///
    /// - Throws: an error, where there can be no snapshot now. Views that wait for one get all events where the session
    ///   still keeps them, or else `ReplayUnavailable`.
    func snapshot() async throws -> [ViewModelEvent]
}

extension ViewModel {
    /// Does nothing.
    public func start() {}

    /// This view model, as a session hosts it.
    public func hosted() -> AnyViewModel<ViewModelEvent, ViewEvent> { AnyViewModel(self) }

    /// Makes no snapshot.
    ///
    /// - Throws: always, an error that says so.
    public func snapshot() throws -> [ViewModelEvent] { throw NoSnapshot() }
}

/// A view model as a session hosts it, in whichever of three ways it is written.
///
/// Don't conform to it directly, but to one of three protocols that refine it:
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
/// view model's own isolation. They take their turn among the handlers of the session, so that none runs beside a
/// handler. What a hook sends reaches the Views as any event does. Only the last `viewsDidDisappear()` of a session and
/// `stop()` have nobody left to send to. In a `@MainActor` class a hook that is `async` needs a `@MainActor` of its
/// own.
public protocol HostableViewModel<HostedEvent, HostedViewEvent>: AnyObject, Sendable {
    /// The events that a session sends to its Views.
    associatedtype HostedEvent: Sendable
    /// The events that Views send to the view model.
    associatedtype HostedViewEvent: Sendable

    /// The view model as a `View` can bind it. Called once for each session; the result keeps the view model.
    func hosted() -> AnyViewModel<HostedEvent, HostedViewEvent>

    /// Called when a view has come and there was none before. Does nothing unless implemented.
    ///
    /// The first call comes after `start()` and before any view event is handled. The next view event waits until this
    /// returns. Where several sessions share the view model, their views are counted together. A local View counts as a
    /// view from `bind(with:)` on.
    func viewsDidAppear() async

    /// Called when the last view has gone: detached, closed, lost with its connection, or with its session. Does
    /// nothing unless implemented.
    ///
    /// Each call of `viewsDidAppear()` is followed by one of this. If a view comes back before this could be called,
    /// neither is called. The session goes on without views for the limit `resumeWindow` (180 s), in case one comes
    /// back.
    func viewsDidDisappear() async

    /// Called once, when the session has ended, by whatever cause: the place to let go of what `start()` took. Does
    /// nothing unless implemented.
    ///
    /// It is called last. A handler that runs is cancelled, and `viewsDidDisappear()` and this are called after it has
    /// returned. It isn't called where `start()` was never called or threw. Where several sessions share the view
    /// model, it is called when the last of them has ended, and the view model isn't started again. For a
    /// `DurableViewModel` it is called at the end of each life.
    ///
    /// It has as much time as the limit `drainGrace` (5 s). After that its task is cancelled, and the log names the
    /// view model. A view model that only Views in this process use has its `deinit` instead.
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
