/// What a View shows and what happens when the user does something, with no knowledge of any View.
///
/// Events go out through `output` and come in through `handle(event:)`: two enums are all that the two sides know of each
/// other, and the sequence of events is all that a test has to assert.
///
/// The requirements are `async`, so a conforming type chooses its own isolation: an `actor` (the default choice), a
/// `@MainActor` class, or any other `Sendable` class. Its methods may be written without `async` or `throws`. In a
/// `@MainActor` class, one that is `async` needs `@MainActor` of its own: compilers up to Swift 6.3 take it from here, where
/// it is anybody's.
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
public protocol ViewModel<ViewModelEvent, ViewEvent>: HostableViewModel {
    /// What the view model tells its Views.
    associatedtype ViewModelEvent: Sendable
    /// What a View tells the view model.
    associatedtype ViewEvent: Sendable
    /// The same as `ViewModelEvent`.
    associatedtype HostedEvent = ViewModelEvent
    /// The same as `ViewEvent`.
    associatedtype HostedViewEvent = ViewEvent

    /// Where events leave; one object for the whole life of the view model.
    var output: Output<ViewModelEvent> { get }

    /// Called once, when the first View is bound and already listens: whatever it sends is seen. A host hands over no view
    /// event before this returns, so what goes on for the view model's whole life belongs in a task of its own.
    ///
    /// An error ends a hosted session with the reason `failed`; a local View gets it from `bind(with:)`.
    func start() async throws

    /// The single point where Views reach the view model.
    ///
    /// Whoever hosts it calls it for one event at a time, in the order in which they were sent, and takes the next when
    /// this returns. An error is the answer to this event alone; the view model goes on. When the event is cancelled, the
    /// task that runs this is.
    func handle(event: ViewEvent) async throws

    /// The events that bring a View which knows nothing to where the others are now: what a late View is told instead of
    /// everything that was ever sent.
    ///
    /// Unless implemented there is none, and a host that still keeps all events shows those. It is called in the view
    /// model's own isolation and takes part in no order, so it may run while a handler awaits; it must not send, and what it
    /// returns must agree with what was sent so far. Where something is sent while it runs, it is called again. An error
    /// means that there is no snapshot now. One of another type, such as `snapshot() -> ViewModelEvent`, is another method,
    /// which nobody calls.
    func snapshot() async throws -> [ViewModelEvent]
}

extension ViewModel {
    /// Sends nothing.
    public func start() {}

    /// Itself, without its type.
    public func hosted() -> AnyViewModel<ViewModelEvent, ViewEvent> { AnyViewModel(self) }

    /// Unless implemented there is no snapshot: throws `NoSnapshot`.
    public func snapshot() throws -> [ViewModelEvent] { throw NoSnapshot() }
}
