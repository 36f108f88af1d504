/// A view model that a host can serve without an enum of its events: it notifies, and a View is sent its whole state.
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
/// A View gets the event `changed` with the state: first as it is when the view model starts, then after each change. The
/// state is read in the view model's own isolation; where it notifies several times between two reads, the newest state is
/// sent once. What a handler changed is sent before the handler is done, or sooner where it waits for something.
///
/// Best where the state is small or changes seldom. `ObservableViewModel` sends each property by itself.
public protocol NotifyingViewModel<State, ViewEvent>: NotifiesOnChange, HostableViewModel {
    /// What a View tells the view model.
    associatedtype ViewEvent: Sendable
    /// All that a View shows.
    associatedtype State: Sendable
    /// What a host's Views are told.
    associatedtype HostedEvent = ChangeEvent<State>
    /// The same as `ViewEvent`.
    associatedtype HostedViewEvent = ViewEvent

    /// What a View shows now. Reading it changes nothing and notifies of nothing.
    var state: State { get async }

    /// Called once, when the first View is bound and has been sent the state; all else is as for `ViewModel.start()`. Does
    /// nothing unless implemented.
    func start() async throws

    /// The single point where Views reach the view model, called as `ViewModel.handle(event:)` is.
    ///
    /// In a `@MainActor` class, one that is `async` needs `@MainActor` of its own: compilers up to Swift 6.3 take it from
    /// here, where it is anybody's.
    func handle(event: ViewEvent) async throws
}

extension NotifyingViewModel {
    /// Does nothing.
    public func start() {}

    /// The view model with its state as its one event.
    public func hosted() -> AnyViewModel<ChangeEvent<State>, ViewEvent> { AnyViewModel(ChangeEvents(self)) }
}
