/// A view model in any of the ways that it can be written, as a host sees it: what it tells its Views are events.
///
/// Conform to `ViewModel` (two enums of events), `ObservableViewModel` (properties whose changes are the events) or
/// `NotifyingViewModel` (a state that is told anew when it changed) instead; each of them says the rest.
public protocol HostableViewModel<HostedEvent, HostedViewEvent>: AnyObject, Sendable {
    /// What a host's Views are told.
    associatedtype HostedEvent: Sendable
    /// What they tell the view model.
    associatedtype HostedViewEvent: Sendable

    /// The view model as a `View` can bind it. Called once for each host; the result keeps the view model.
    func hosted() -> AnyViewModel<HostedEvent, HostedViewEvent>
}
