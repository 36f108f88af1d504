import Synchronization

/// Something that happens again and again, for whoever wants to know of it, with no harm to who is gone.
///
/// ```swift
/// viewModel.$orders.subscribe(self) { this, orders in
///     this.show(orders)
/// }
/// ```
///
/// **Owners.** Each handler belongs to an owner, which is held weakly: once it is gone its handler isn't called any more,
/// and is let go of at the next `subscribe` or `raise`. An owner has one handler for an event; subscribing again replaces it,
/// and it goes to the end of the line. What the handler itself captures lives as long as the handler, so it takes the owner
/// as its argument instead of capturing `self`.
///
/// **Where handlers run.** A handler written in an actor's isolation, as a closure in a `@MainActor` View is, is called in
/// that isolation, after `raise` has returned. All such handlers of one event are called one at a time, in order of
/// subscription, raise by raise. A handler with no isolation is called on the thread that raises before `raise` returns, and
/// must not block.
///
/// **Order.** All handlers see one order. A handler that raises again doesn't cut in, and where two threads raise at once
/// one calls the handlers for both: then, and only then, `raise` returns before handlers without isolation were called. Who
/// subscribes while an event is raised gets the next one.
///
/// Any thread may call any member.
public final class Event<Args: Sendable>: Sendable {
    /// Orders and delivers. Who subscribes here directly isn't among the owners.
    let output = Output<Args>()
    /// Brings the calls to handlers with an isolation of their own.
    let queue = EventQueue<Call> { await $0.handler.call($0.args) }
    let line = Mutex(Line())

    /// An event that nobody has subscribed to.
    public init() {}

    /// Calls `handler` with `owner` each time the event is raised from now on, for as long as the owner lives, or until it
    /// unsubscribes or subscribes again.
    ///
    /// `@_inheritActorContext` makes a closure that is written in a `@MainActor` type run there, as one given to `Task` does.
    /// Without it the compiler takes the closure for one with no isolation, which couldn't touch such an owner.
    public func subscribe<Owner: AnyObject & Sendable>(
        _ owner: Owner, @_inheritActorContext handler: @escaping @Sendable @isolated(any) (Owner, Args) -> Void
    ) {
        subscribe(EventHandler(owner, handler))
    }

    /// Calls `handler` with `owner`, an actor, in that actor's isolation each time the event is raised from now on; all else
    /// is the same.
    ///
    /// A call that waits for the actor to be free keeps it until then.
    public func subscribe<Owner: Actor>(
        _ owner: Owner, handler: @escaping @Sendable (isolated Owner, Args) -> Void
    ) {
        subscribe(EventHandler(isolatedTo: owner, handler))
    }

    /// Takes the handler of `owner` out. No call to it begins after this returns, not even for an event that is being
    /// raised; one that another thread has begun may still be on its way. Does nothing for who hasn't subscribed.
    public func unsubscribe(_ owner: some AnyObject & Sendable) {
        // Not made into a `Weak`, as an owner may call this from its `deinit`.
        let id = ObjectIdentifier(owner)
        _ = line.withLock { $0.take { $0.owner.id == id } }
    }

    /// Calls every handler, in order of subscription; those with an isolation of their own after it returns.
    public func raise(_ args: Args) {
        prune()
        output.send(args)
    }

    /// How many handlers stand in line, those of dead owners among them until they are found.
    package var handlerCount: Int { line.withLock { $0.places.count } }
}
