/// A property whose projected value is an event that is raised with each new value.
///
/// ```swift
/// actor OrdersViewModel {
///     @Observed var orders: [Order] = []
/// }
///
/// await viewModel.$orders.subscribe(self) { this, orders in
///     this.show(orders)
/// }
/// ```
///
/// The event is raised with every value that is set, even with one that equals the value before. The property is read
/// and set in the isolation of its actor or `@MainActor` class. (A `Sendable` class without isolation can't have a
/// stored `var`; it has a `Dynamic`.)
///
/// An actor's initializer isn't in the actor's isolation, so it gives a value to the wrapper: `_orders =
/// Observed(wrappedValue: orders)`. The same goes for a `nonisolated init` of a `@MainActor` class.
///
/// All handlers see the same order, the newest value last. `Event` says where and when they are called. Where a handler
/// sets the property again, all handlers first get the value before.
@propertyWrapper
public struct Observed<Value: Sendable>: Sendable {
    let current: CurrentValue<Value>

    /// A property with a first value. The event isn't raised for it.
    public init(wrappedValue: Value) {
        current = CurrentValue(wrappedValue)
    }

    /// The value. Setting it raises the event. A change in place, such as `append`, reads the value and then sets it.
    public var wrappedValue: Value {
        get { current.value }
        nonmutating set { current.value = newValue }
    }

    /// The event of this property's changes, one object for the property's whole life. Only the property raises it.
    public var projectedValue: Event<Value> { current.changed }
}
