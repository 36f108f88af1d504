import Synchronization

/// Something that happens again and again, with handlers that don't keep their owners alive.
///
/// ```swift
/// viewModel.$orders.subscribe(self) { this, orders in
///     this.show(orders)
/// }
/// ```
///
/// **Owners.** Each handler belongs to an owner, which is held weakly. Once the owner is gone, the handler isn't called
/// any more, and is released at the next `subscribe` or `raise`. An owner has one handler for an event. Subscribing
/// again replaces it, and puts it at the end of the order. A handler gets its owner as an argument, so that it needn't
/// capture `self`: its captures live as long as the handler.
///
/// **Isolation.** A handler written in an actor's isolation, such as a closure in a `@MainActor` View, is called in
/// that isolation, after `raise` has returned. All such handlers of one event are called one at a time, in order of
/// subscription, raise by raise. A handler without isolation is called on the thread that raises, before `raise`
/// returns, and must not block.
///
/// **Turns.** On a server, what a view model's handler raises belongs to the turn of its view event. That event is answered
/// only after the handlers of all that was raised have returned, also those with an isolation, and those of events that
/// handlers raise again. So a client is told what they send before it gets the answer. A task that the handler doesn't wait for
/// may raise events after the answer.
///
/// **Order.** All handlers see the same order. Where a handler raises again, all handlers get the event before first.
/// When two threads raise at once, one of them calls the handlers for both. The other's `raise` may then return before
/// handlers without isolation were called. An owner that subscribes while an event is raised gets the next one.
///
/// Any thread may call any member.
public final class Event<Args: Sendable>: Sendable {
    /// The output that orders and delivers raised events. Its direct subscribers aren't owners.
    let output = Output<Args>()
    /// Brings the calls to handlers with an isolation of their own.
    let queue = EventQueue<Call> { await $0.make() }
    let line = Mutex(Line())

    /// An event without handlers.
    public init() {}

    /// Calls `handler` each time the event is raised from now on, until the owner is gone, unsubscribes or
    /// subscribes again.
    ///
    /// - Parameters:
    ///   - owner: held weakly.
    ///   - handler: called with the owner and the event's arguments. A closure that is written in a `@MainActor` type
    ///     runs there, as one given to `Task` does.
    public func subscribe<Owner: AnyObject & Sendable>(
        _ owner: Owner, @_inheritActorContext handler: @escaping @Sendable @isolated(any) (Owner, Args) -> Void
    ) {
        subscribe(EventHandler(owner, handler))
    }

    /// Calls `handler` in the isolation of `owner`, an actor, each time the event is raised from now on.
    ///
    /// - Parameters:
    ///   - owner: held weakly. A call on its way keeps the actor until it is done.
    ///   - handler: called with the owner and the event's arguments.
    public func subscribe<Owner: Actor>(
        _ owner: Owner, handler: @escaping @Sendable (isolated Owner, Args) -> Void
    ) {
        subscribe(EventHandler(isolatedTo: owner, handler))
    }

    /// Ends the subscription of `owner`. Does nothing where it has none.
    ///
    /// No call of its handler begins after this returns, not even for an event that is being raised. One that another
    /// thread has begun may still be running.
    public func unsubscribe(_ owner: some AnyObject & Sendable) {
        // Not made into a `Weak`, since an owner may call this in its `deinit`.
        let id = ObjectIdentifier(owner)
        _ = line.withLock { $0.take { $0.owner.id == id } }
    }

    /// Calls every handler, in order of subscription: those without isolation before this returns, and the others after
    /// that. Inside a handler, and while another thread raises, it may return before any handler was called.
    public func raise(_ args: Args) {
        guard let hold = holdTurn() else { return output.send(args) }
        output.enqueue(args, in: hold)
        output.deliverPending()
    }
}

extension Event where Args == Void {
    /// Calls `handler` each time the event is raised from now on, until the owner is gone, unsubscribes or
    /// subscribes again.
    ///
    /// - Parameters:
    ///   - owner: held weakly.
    ///   - handler: called with the owner. A closure that is written in a `@MainActor` type runs there.
    public func subscribe<Owner: AnyObject & Sendable>(
        _ owner: Owner, @_inheritActorContext handler: @escaping @Sendable @isolated(any) (Owner) -> Void
    ) {
        subscribe(EventHandler(owner, in: handler.isolation) { owner, _ in await handler(owner) })
    }

    /// Calls `handler` in the isolation of `owner`, an actor, each time the event is raised from now on.
    ///
    /// - Parameters:
    ///   - owner: held weakly. A call on its way keeps the actor until it is done.
    ///   - handler: called with the owner.
    public func subscribe<Owner: Actor>(_ owner: Owner, handler: @escaping @Sendable (isolated Owner) -> Void) {
        subscribe(EventHandler(isolatedTo: owner) { owner, _ in handler(owner) })
    }

    /// Calls every handler, in order of subscription: those without isolation before this returns, and the others after
    /// that. Inside a handler, and while another thread raises, it may return before any handler was called.
    public func raise() {
        raise(())
    }
}
