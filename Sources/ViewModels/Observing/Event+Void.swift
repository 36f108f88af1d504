extension Event where Args == Void {
    /// The same as `subscribe(_:handler:)` of any event, without arguments.
    public func subscribe<Owner: AnyObject & Sendable>(
        _ owner: Owner, @_inheritActorContext handler: @escaping @Sendable @isolated(any) (Owner) -> Void
    ) {
        subscribe(EventHandler(owner, in: handler.isolation) { owner, _ in await handler(owner) })
    }

    /// The same as `subscribe(_:handler:)` of any event for an owner that is an actor, without arguments.
    public func subscribe<Owner: Actor>(_ owner: Owner, handler: @escaping @Sendable (isolated Owner) -> Void) {
        subscribe(EventHandler(isolatedTo: owner) { owner, _ in handler(owner) })
    }

    /// Calls every handler, in order of subscription; those with an isolation of their own after it returns.
    public func raise() {
        raise(())
    }
}
