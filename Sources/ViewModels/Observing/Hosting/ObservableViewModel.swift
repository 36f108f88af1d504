/// A view model that a host can serve without an enum of its events: each of its properties is one.
///
/// ```swift
/// actor StopwatchViewModel: ObservableViewModel {
///     enum ViewEvent: Codable { case start, stop }
///
///     @Observed var elapsed = 0.0
///     @Observed var isRunning = false
///
///     func handle(event: ViewEvent) { isRunning = event == .start }
/// }
/// ```
///
/// Its stored properties that are `@Observed` or a `Dynamic`, those of a superclass first, are what Views are sent: an event
/// with the property's name and value each time it is set, and before all else the value that each has when the view model
/// starts. Their types are `Encodable`; of one that isn't, the error of `start` tells. What a handler set is sent before the
/// handler is done. A `Dynamic` is a `let`: of one that takes another's place in a `var`, nobody is told.
///
/// The properties are found by reflection, in an actor's own isolation or else on the main actor. That copies every stored
/// property for a moment, so none may be an `unowned` reference to an object that is gone.
public protocol ObservableViewModel<ViewEvent>: HostableViewModel {
    /// What a View tells the view model.
    associatedtype ViewEvent: Sendable
    /// What a host's Views are told.
    associatedtype HostedEvent = PropertyEvent
    /// The same as `ViewEvent`.
    associatedtype HostedViewEvent = ViewEvent

    /// Called once, when the first View is bound and has been sent every property; all else is as for `ViewModel.start()`.
    /// Does nothing unless implemented.
    func start() async throws

    /// The single point where Views reach the view model, called as `ViewModel.handle(event:)` is.
    ///
    /// In a `@MainActor` class, one that is `async` needs `@MainActor` of its own: compilers up to Swift 6.3 take it from
    /// here, where it is anybody's.
    func handle(event: ViewEvent) async throws
}

extension ObservableViewModel {
    /// Does nothing.
    public func start() {}

    /// The view model with its properties as its events.
    public func hosted() -> AnyViewModel<PropertyEvent, ViewEvent> { AnyViewModel(PropertyEvents(self)) }
}
