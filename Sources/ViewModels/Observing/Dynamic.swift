/// A value with a listener that is told of each new one.
///
/// ```swift
/// final class HelloViewModel: Sendable {
///     let helloText = Dynamic("")
///
///     func userTriggeredSayHelloButton() { helloText.value = "Hello" }
/// }
///
/// viewModel.helloText.bindAndFire(self) { this, text in this.label = text }
/// ```
///
/// There is one listener, and any number of owners with one listener each, who are held weakly. Where and when a listener is
/// called is the same as for the handlers of an `Event`: one that is written in a `@MainActor` type is called there, after
/// the value was set; one without isolation before the setter returns. Each sees all values in one order, the newest last,
/// also where several threads set it at once. Any thread may call any member.
public final class Dynamic<Value: Sendable>: Sendable {
    /// Stands in the line for the one listener without an owner.
    private final class Seat: Sendable {}

    let current: CurrentValue<Value>
    private let seat = Seat()

    /// Begins with `value`, of which no listener is told.
    public init(_ value: Value) {
        current = CurrentValue(value)
    }

    /// The newest value. Setting it tells the listeners, also when it equals the last.
    public var value: Value {
        get { current.value }
        set { current.value = newValue }
    }

    /// Calls `listener` with each new value, instead of the one that was bound so before; nil takes that off.
    ///
    /// What it captures lives as long as it stays bound, so capture a View weakly, or use `bind(_:listener:)`.
    public func bind(@_inheritActorContext _ listener: (@Sendable @isolated(any) (Value) -> Void)?) {
        guard let handler = handler(listener) else { return current.changed.unsubscribe(seat) }
        current.changed.subscribe(handler)
    }

    /// The same as `bind(_:)`, and first calls `listener` with the value as it is: none is missed between, and none comes
    /// twice.
    public func bindAndFire(@_inheritActorContext _ listener: (@Sendable @isolated(any) (Value) -> Void)?) {
        guard let handler = handler(listener) else { return current.changed.unsubscribe(seat) }
        current.subscribeAndFire(handler)
    }

    private func handler(_ listener: (@Sendable @isolated(any) (Value) -> Void)?) -> EventHandler<Value>? {
        guard let listener else { return nil }
        return EventHandler(seat, in: listener.isolation) { _, value in await listener(value) }
    }
}
