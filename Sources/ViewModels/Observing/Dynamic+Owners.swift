extension Dynamic {
    /// Calls `listener` with `owner` and each new value for as long as the owner, which is held weakly, lives, instead of the
    /// one that this owner bound before.
    public func bind<Owner: AnyObject & Sendable>(
        _ owner: Owner, @_inheritActorContext listener: @escaping @Sendable @isolated(any) (Owner, Value) -> Void
    ) {
        current.changed.subscribe(EventHandler(owner, listener))
    }

    /// The same for an owner that is an actor, in whose isolation `listener` is called.
    public func bind<Owner: Actor>(_ owner: Owner, listener: @escaping @Sendable (isolated Owner, Value) -> Void) {
        current.changed.subscribe(EventHandler(isolatedTo: owner, listener))
    }

    /// The same as `bind(_:listener:)`, and first calls `listener` with the value as it is: none is missed between, and none
    /// comes twice.
    public func bindAndFire<Owner: AnyObject & Sendable>(
        _ owner: Owner, @_inheritActorContext listener: @escaping @Sendable @isolated(any) (Owner, Value) -> Void
    ) {
        current.subscribeAndFire(EventHandler(owner, listener))
    }

    /// The same for an owner that is an actor, in whose isolation `listener` is called.
    public func bindAndFire<Owner: Actor>(
        _ owner: Owner, listener: @escaping @Sendable (isolated Owner, Value) -> Void
    ) {
        current.subscribeAndFire(EventHandler(isolatedTo: owner, listener))
    }

    /// Takes off the listener of `owner`. No call to it begins afterwards. Does nothing for who hasn't bound one.
    public func unbind(_ owner: some AnyObject & Sendable) {
        current.changed.unsubscribe(owner)
    }
}
