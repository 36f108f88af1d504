/// A view model without an enum of its events: its one event is its whole state, sent after each change.
///
/// ```swift
/// actor OrdersViewModel: NotifyingViewModel {
///     enum ViewEvent: Codable { case loadOrders }
///
///     let changed = Event<Void>()
///     private(set) var state: [Order] = []
///
///     func handle(event: ViewEvent) async throws {
///         switch event {
///         case .loadOrders: state = try await provider.loadOrders()
///         }
///         changed.raise()
///     }
/// }
/// ```
///
/// A View gets the event `changed` with the state: first when the view model starts, then each time after `changed` was
/// raised. The state is read in the view model's own isolation. Where `changed` is raised several times between two
/// reads, the newest state is sent once. A change that a handler makes is sent before the handler's event is answered,
/// and sooner where the handler awaits.
///
/// Choose it where the state is small or changes seldom. `ObservableViewModel` sends each property by itself.
public protocol NotifyingViewModel<State, ViewEvent>: NotifiesOnChange, HostableViewModel {
    /// The events that a View sends to the view model.
    associatedtype ViewEvent: Sendable
    /// Everything that a View shows.
    associatedtype State: Sendable
    /// The event that a session sends to its Views.
    associatedtype HostedEvent = ChangeEvent<State>
    /// What a session hands to the view model: `ViewEvent`.
    associatedtype HostedViewEvent = ViewEvent

    /// Everything that a View shows now. Reading it must not change it, and must not raise `changed`.
    var state: State { get async }

    /// Called once, when the first View is bound and has been sent the state. Does nothing unless implemented.
    ///
    /// In all else it is like `ViewModel.start()`.
    ///
    /// - Throws: an error, which ends the session with the reason `failed`. A local View gets it from `bind(with:)`.
    func start() async throws

    /// Handles one event of a View: the single point where Views reach the view model, called as
    /// `ViewModel.handle(event:)` is.
    ///
    /// In a `@MainActor` class, one that is `async` needs a `@MainActor` of its own: compilers up to Swift 6.3 take its
    /// isolation from this protocol, which has none.
    ///
    /// - Throws: an error, reported to the sender of this event only. The view model goes on.
    func handle(event: ViewEvent) async throws
}

extension NotifyingViewModel {
    /// Does nothing.
    public func start() {}

    /// This view model, with its state as its one event.
    public func hosted() -> AnyViewModel<ChangeEvent<State>, ViewEvent> { AnyViewModel(ChangeEvents(self)) }
}
