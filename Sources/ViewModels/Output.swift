import Synchronization

/// Events on their way out of a view model or a View, to every handler in the order of subscription.
///
/// Events are delivered one at a time. A handler that sends again, directly or through others, doesn't cut in: its event
/// waits until every handler has had the one before, so all handlers see one and the same order.
///
/// Any task or thread may send and subscribe. Where two send at once, one of them delivers both events and the other's
/// `send(_:)` returns at once; nothing is lost, and the order is the same for every handler.
public final class Output<Event: Sendable>: Sendable {
    private let state = Mutex(OutputState())

    /// An output without handlers; what is sent before the first subscription reaches nobody.
    public init() {}

    /// Calls every handler with `event`, in the order of subscription, before it returns.
    ///
    /// Exceptions: when called from inside a handler, or while another thread delivers, the event is queued behind the
    /// events before it and the call returns at once.
    public func send(_ event: Event) {
        if let subscribers = state.withLock({ $0.beginEvent() }) {
            Self.deliver(event, to: subscribers)
            deliverRest()
        } else {
            enqueue(event)
            deliverPending()
        }
    }

    /// Calls `handler` with every event from now on, on whatever thread sends, until the subscription is cancelled or
    /// released.
    ///
    /// A handler must not block: it holds up the sender. What it captures lives as long as the subscription, so capture
    /// the receiver weakly where the receiver keeps the subscription.
    public func subscribe(_ handler: @escaping @Sendable (Event) -> Void) -> Subscription {
        subscription(add(handler))
    }

    private func subscription(_ number: Int) -> Subscription {
        Subscription { [weak self] in self?.removeHandler(number) }
    }

    /// Subscribes for as long as this output lives, or until `removeHandler` is called with the number that this returns. For
    /// whoever knows when that is, and so needs no object for it.
    package func add(_ handler: @escaping @Sendable (Event) -> Void) -> Int {
        let handler = OutputHandler(handler)
        return state.withLock { $0.add(handler) }
    }

    /// Returns once every event that was sent before this call has reached every handler. Never called by a handler, which
    /// would wait for itself.
    func settle() async {
        guard !isSettled else { return }
        await withCheckedContinuation { continuation in afterPending { continuation.resume() } }
    }

    /// How many have subscribed.
    package var handlerCount: Int { state.withLock { $0.subscribers.count } }

    /// How many events have been sent, delivered or not.
    package var sentCount: Int { state.withLock { $0.sentCount } }

    /// The same as `afterPending(_:)`, but only if nothing has been sent since `sentCount` was `count`. Returns false, and
    /// never runs `action`, when something has.
    package func afterPending(ifSent count: Int, _ action: @escaping @Sendable () -> Void) -> Bool {
        let isUnchanged = state.withLock { state in
            guard state.sentCount == count else { return false }
            state.queue { _ in action() }
            return true
        }
        if isUnchanged { deliverPending() }
        return isUnchanged
    }

    /// Puts `event` behind those before it without delivering it; `deliverPending()` must follow. So a caller can hold a
    /// lock of its own for the order and let go of it for the delivery.
    func enqueue(_ event: Event) {
        state.withLock { $0.queueEvent { Self.deliver(event, to: $0) } }
    }

    /// Subscribes `handler`, and calls it with `event` first: behind what was sent before and ahead of what is sent after.
    /// `deliverPending()` must follow.
    func enqueue(_ event: Event, to handler: @escaping @Sendable (Event) -> Void) -> Subscription {
        let added = OutputHandler(handler)
        return subscription(
            state.withLock { state in
                defer { state.queue { _ in handler(event) } }
                return state.add(added)
            })
    }

    /// Delivers what waits, unless another thread, or a handler further out, is at it.
    func deliverPending() {
        if state.withLock({ $0.beginPending() }) { deliverRest() }
    }

    private func deliverRest() {
        while let (step, subscribers) = state.withLock({ $0.next() }) { step(subscribers) }
    }

    private static func deliver(_ event: Event, to subscribers: [OutputState.Subscriber]) {
        // All ways to add one to this output's subscribers add this type.
        for subscriber in subscribers { unsafeDowncast(subscriber.handler, to: OutputHandler<Event>.self).body(event) }
    }
}

extension Output {
    /// True for the first caller only, ever: who may start the view model that owns this output.
    ///
    /// The flag stands here, and not in `AnyViewModel`, because every erasure of one view model shares its output.
    package func claimStart() -> Bool {
        state.withLock { state in
            defer { state.isStarted = true }
            return !state.isStarted
        }
    }

    /// What lives and dies with this output: the binding of the View that owns it. A new one replaces and releases the old.
    package var retained: (any AnyObject & Sendable)? {
        get { state.withLock { $0.retained } }
        set {
            let old = state.withLock { state in
                defer { state.retained = newValue }
                return state.retained
            }
            // Released here, outside the lock: its end unsubscribes, which may lock this very output.
            withExtendedLifetime(old) {}
        }
    }
}

extension Output: AnyOutput {
    package func removeHandler(_ number: Int) {
        let removed = state.withLock { $0.remove(number) }
        // Let go of here, outside the lock: what it captured may end with it, and send or cancel on this very output.
        withExtendedLifetime(removed) {}
    }

    package var isSettled: Bool { state.withLock { !$0.isBusy } }

    package func afterPending(_ action: @escaping @Sendable () -> Void) {
        if state.withLock({ $0.begin() }) {
            action()
            deliverRest()
        } else {
            state.withLock { $0.queue { _ in action() } }
            deliverPending()
        }
    }
}
