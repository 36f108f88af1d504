/// A view model that says that it has changed, and not what: whoever shows it reads it anew.
///
/// ```swift
/// @MainActor final class OrdersViewModel: NotifiesOnChange {
///     let changed = Event<Void>()
///     private(set) var orders: [OrderViewModel] = []
///
///     func show(_ orders: [Order]) {
///         self.orders = orders.map(OrderViewModel.init)
///         changed.raise()
///     }
/// }
/// ```
public protocol NotifiesOnChange: AnyObject, Sendable {
    /// Raised after a change; one object for the view model's whole life. A `HasViewModel` subscribes by itself.
    var changed: Event<Void> { get }
}
