/// A view model without an enum of its events: each change of one of its properties is an event.
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
/// The stored properties that are `@Observed` or a `Dynamic` are sent to the Views. Each event has a property's name
/// and value. When the view model starts, the value of each property is sent, those of a superclass first. From then on
/// an event is sent each time a property is set. A value that a handler sets is sent before the handler's event is
/// answered.
///
/// Their types must be `Encodable`; otherwise the session's start fails, with an error that names the property. Two
/// properties with the same name make it fail, too. A `Dynamic` must be a `let`: if it were replaced, the changes of
/// the new one would never be sent.
///
/// The properties are found by reflection, in an actor's own isolation or else on the main actor. Reflection copies
/// every stored property for a moment, so none may be an `unowned` reference to an object that is gone.
public protocol ObservableViewModel<ViewEvent>: HostableViewModel {
    /// The events that a View sends to the view model.
    associatedtype ViewEvent: Sendable
    /// The events that a session sends to its Views.
    associatedtype HostedEvent = PropertyEvent
    /// What a session hands to the view model: `ViewEvent`.
    associatedtype HostedViewEvent = ViewEvent

    /// Called once, when the first View is bound and has been sent every property. Does nothing unless implemented.
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

extension ObservableViewModel {
    /// Does nothing.
    public func start() {}

    /// This view model, with the changes of its properties as events.
    public func hosted() -> AnyViewModel<PropertyEvent, ViewEvent> { AnyViewModel(PropertyEvents(self)) }
}

/// Why the properties of an `ObservableViewModel` can't be sent.
package enum PropertyError: Error, Equatable, CustomStringConvertible {
    case notEncodable(property: String, of: String, type: String)
    case ambiguous(property: String, of: String)

    package var description: String {
        switch self {
        case .notEncodable(let property, let model, let type):
            """
            '\(property)' of \(model) can't be sent to a View, since \(type) isn't Encodable; make it so, or keep the value \
            in a property that is neither @Observed nor a Dynamic
            """
        case .ambiguous(let property, let model):
            "\(model) and its superclasses have more than one property '\(property)'; give one another name"
        }
    }
}
