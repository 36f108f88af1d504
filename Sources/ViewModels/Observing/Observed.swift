/// A property whose changes others can follow: its projected value is an event with each new value.
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
/// It raises with every value that is set, also with one that equals the last. The property belongs to whom it is written
/// in: in an actor or a `@MainActor` class, only there is it read and set. (A class with no isolation can't have a stored
/// `var`; it has a `Dynamic`.)
///
/// In an actor's initializer, which isn't in the actor's isolation, a value that comes from outside is given to the wrapper:
/// `_orders = Observed(wrappedValue: orders)`. The same goes for a `nonisolated init` of a `@MainActor` class.
///
/// Handlers see one order, and the last that they see is the newest; where and when they are called is said at `Event`. A
/// handler that sets the property again doesn't cut in: all handlers first see the value before.
@propertyWrapper
public struct Observed<Value: Sendable>: Sendable {
    let current: CurrentValue<Value>

    /// Begins with `wrappedValue`, of which no handler is told.
    public init(wrappedValue: Value) {
        current = CurrentValue(wrappedValue)
    }

    /// The value. Setting it raises the event; changing it in place reads it, and then sets it.
    public var wrappedValue: Value {
        get { current.value }
        nonmutating set { current.value = newValue }
    }

    /// The event of this property's changes: one and the same for the property's whole life. Only the property itself ought
    /// to raise it.
    public var projectedValue: Event<Value> { current.changed }
}
