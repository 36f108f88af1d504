/// A value with a listener, which is called with each new value.
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
/// It may have one listener without an owner, and one listener for each of any number of owners, which are held weakly.
/// Listeners are called as the handlers of an `Event` are. A listener that is written in a `@MainActor` type is called
/// in that isolation, after the value was set. A listener without isolation is called before the setter returns, and
/// must not block. All see the same order, the newest value last, even when several threads set it at once.
///
/// Any thread may call any member.
public final class Dynamic<Value: Sendable>: Sendable {
    /// A stand-in for the owner of the one listener that has no owner.
    private final class Seat: Sendable {}

    let current: CurrentValue<Value>
    private let seat = Seat()

    /// A value without listeners.
    public init(_ value: Value) {
        current = CurrentValue(value)
    }

    /// The newest value. Setting it calls the listeners, even when it equals the value before.
    public var value: Value {
        get { current.value }
        set { current.value = newValue }
    }

    /// Calls `listener` with each new value. It takes the place of the listener without an owner that was bound before.
    ///
    /// - Parameter listener: nil takes the listener off. Its captures live as long as it is bound. So capture a View
    ///   weakly, or use `bind(_:listener:)`.
    public func bind(@_inheritActorContext _ listener: (@Sendable @isolated(any) (Value) -> Void)?) {
        guard let handler = handler(listener) else { return current.changed.unsubscribe(seat) }
        current.changed.subscribe(handler)
    }

    /// Calls `listener` with the current value and then with each new one, as `bind(_:)` does. No value is missed, and
    /// none comes twice.
    ///
    /// - Parameter listener: nil takes the listener off, as in `bind(_:)`.
    public func bindAndFire(@_inheritActorContext _ listener: (@Sendable @isolated(any) (Value) -> Void)?) {
        guard let handler = handler(listener) else { return current.changed.unsubscribe(seat) }
        current.subscribeAndFire(handler)
    }

    private func handler(_ listener: (@Sendable @isolated(any) (Value) -> Void)?) -> EventHandler<Value>? {
        guard let listener else { return nil }
        return EventHandler(seat, in: listener.isolation) { _, value in await listener(value) }
    }
}

extension Dynamic {
    /// Calls `listener` with each new value until the owner is gone or unbinds. It takes the place of the owner's
    /// listener before.
    ///
    /// - Parameters:
    ///   - owner: held weakly.
    ///   - listener: called with the owner and the value.
    public func bind<Owner: AnyObject & Sendable>(
        _ owner: Owner, @_inheritActorContext listener: @escaping @Sendable @isolated(any) (Owner, Value) -> Void
    ) {
        current.changed.subscribe(EventHandler(owner, listener))
    }

    /// Calls `listener` with each new value in the isolation of `owner`, an actor, until the owner is gone or unbinds.
    ///
    /// - Parameters:
    ///   - owner: held weakly.
    ///   - listener: called with the owner and the value. It takes the place of the owner's listener before.
    public func bind<Owner: Actor>(_ owner: Owner, listener: @escaping @Sendable (isolated Owner, Value) -> Void) {
        current.changed.subscribe(EventHandler(isolatedTo: owner, listener))
    }

    /// Calls `listener` with the current value and then with each new one, as `bind(_:listener:)` does. No value is
    /// missed, and none comes twice.
    ///
    /// - Parameters:
    ///   - owner: held weakly.
    ///   - listener: called with the owner and the value. It takes the place of the owner's listener before.
    public func bindAndFire<Owner: AnyObject & Sendable>(
        _ owner: Owner, @_inheritActorContext listener: @escaping @Sendable @isolated(any) (Owner, Value) -> Void
    ) {
        current.subscribeAndFire(EventHandler(owner, listener))
    }

    /// Calls `listener` with the current value and then with each new one, in the isolation of `owner`, an actor. No
    /// value is missed, and none comes twice.
    ///
    /// - Parameters:
    ///   - owner: held weakly.
    ///   - listener: called with the owner and the value. It takes the place of the owner's listener before.
    public func bindAndFire<Owner: Actor>(
        _ owner: Owner, listener: @escaping @Sendable (isolated Owner, Value) -> Void
    ) {
        current.subscribeAndFire(EventHandler(isolatedTo: owner, listener))
    }

    /// Takes off the listener of `owner`. Does nothing where the owner has none.
    ///
    /// No call of the listener begins after this returns. One that another thread has begun may still be running.
    public func unbind(_ owner: some AnyObject & Sendable) {
        current.changed.unsubscribe(owner)
    }
}
