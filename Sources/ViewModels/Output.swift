import Synchronization

/// Events on their way out of a view model or a View, to every handler in the order of subscription.
///
/// Events are delivered one at a time. A handler that sends again, directly or through others, doesn't cut in: its event
/// waits until every handler has had the one before, so all handlers see one and the same order.
///
/// Any task or thread may send and subscribe. Where two send at once, one of them delivers both events and the other's
/// `send(_:)` returns at once; nothing is lost, and the order is the same for every handler.
public final class Output<Event: Sendable>: Sendable {
    private let state = Mutex(State())

    /// An output without handlers; what is sent before the first subscription reaches nobody.
    public init() {}

    /// Calls every handler with `event`, in the order of subscription, before it returns.
    ///
    /// Exceptions: when called from inside a handler, or while another thread delivers, the event is queued behind the
    /// events before it and the call returns at once.
    public func send(_ event: Event) {
        deliver(.event(event))
    }

    /// Calls `handler` with every event from now on, on whatever thread sends, until the subscription is cancelled or
    /// released.
    ///
    /// A handler must not block: it holds up the sender. What it captures lives as long as the subscription, so capture
    /// the receiver weakly where the receiver keeps the subscription.
    public func subscribe(_ handler: @escaping @Sendable (Event) -> Void) -> Subscription {
        subscription(state.withLock { $0.add(handler) })
    }

    private func subscription(_ id: Int) -> Subscription {
        Subscription { [weak self] in
            // Let go of here, outside the lock: what it captured may end with it, and send or cancel on this very output.
            let handler = self?.state.withLock { $0.remove(id) }
            withExtendedLifetime(handler) {}
        }
    }

    /// Runs `action` once every event that was sent before this call has reached every handler: at once, unless another
    /// thread is delivering.
    package func afterPending(_ action: @escaping @Sendable () -> Void) {
        deliver(.action(action))
    }

    /// Returns once every event that was sent before this call has reached every handler. Never called by a handler, which
    /// would wait for itself.
    func settle() async {
        guard state.withLock({ $0.isBusy }) else { return }
        await withCheckedContinuation { continuation in afterPending { continuation.resume() } }
    }

    /// How many have subscribed.
    package var handlerCount: Int { state.withLock { $0.handlers.count } }

    /// How many events have been sent, delivered or not.
    package var sentCount: Int { state.withLock { $0.sentCount } }

    /// The same as `afterPending(_:)`, but only if nothing has been sent since `sentCount` was `count`. Returns false, and
    /// never runs `action`, when something has.
    package func afterPending(ifSent count: Int, _ action: @escaping @Sendable () -> Void) -> Bool {
        let isUnchanged = state.withLock { state in
            guard state.sentCount == count else { return false }
            state.queue(.action(action))
            return true
        }
        if isUnchanged { deliverPending() }
        return isUnchanged
    }

    /// Puts `event` behind those before it without delivering it; `deliverPending()` must follow. So a caller can hold a
    /// lock of its own for the order and let go of it for the delivery.
    func enqueue(_ event: Event) {
        state.withLock { $0.queue(.event(event)) }
    }

    /// Subscribes `handler`, and calls it with `event` first: behind what was sent before and ahead of what is sent after.
    /// `deliverPending()` must follow.
    func enqueue(_ event: Event, to handler: @escaping @Sendable (Event) -> Void) -> Subscription {
        subscription(
            state.withLock { state in
                defer { state.queue(.action { handler(event) }) }
                return state.add(handler)
            })
    }

    /// Delivers what waits, unless another thread, or a handler further out, is at it.
    func deliverPending() {
        if state.withLock({ $0.beginPending() }) { deliverRest() }
    }

    private func deliverRest() {
        while let (next, handlers) = state.withLock({ $0.next() }) {
            run(next, handlers)
        }
    }

    private func deliver(_ step: Step) {
        guard let handlers = state.withLock({ $0.begin(step) }) else { return deliverPending() }
        run(step, handlers)
        deliverRest()
    }

    private func run(_ step: Step, _ handlers: [Handler]) {
        switch step {
        case .event(let event):
            for handler in handlers { handler.body(event) }
        case .action(let action):
            action()
        }
    }
}

extension Output {
    private enum Step {
        case event(Event)
        case action(@Sendable () -> Void)
    }

    private struct Handler {
        let id: Int
        let body: @Sendable (Event) -> Void
    }

    private struct State {
        var handlers: [Handler] = []
        var isStarted = false
        private(set) var sentCount = 0
        var retained: (any AnyObject & Sendable)?
        private var lastID = 0
        private var isDelivering = false
        /// Taken out one by one, nothing is released under the lock: what a step captured may end with it.
        private var pending: [Pending?] = []
        private var nextPending = 0

        /// A step that waits for its turn, for those that had subscribed when it was sent.
        private struct Pending {
            let step: Step
            let lastID: Int
        }

        /// Events wait or are on their way.
        var isBusy: Bool { isDelivering || nextPending < pending.count }

        mutating func add(_ body: @escaping @Sendable (Event) -> Void) -> Int {
            lastID += 1
            handlers.append(Handler(id: lastID, body: body))
            return lastID
        }

        mutating func remove(_ id: Int) -> Handler? {
            handlers.firstIndex { $0.id == id }.map { handlers.remove(at: $0) }
        }

        /// The handlers to call with `step`, or nil when it waits behind others.
        mutating func begin(_ step: Step) -> [Handler]? {
            if isBusy {
                queue(step)
                return nil
            }
            count(step)
            isDelivering = true
            return handlers
        }

        /// Whoever calls it sees to it that somebody delivers.
        mutating func queue(_ step: Step) {
            count(step)
            pending.append(Pending(step: step, lastID: lastID))
        }

        /// Whether the caller must deliver what waits.
        mutating func beginPending() -> Bool {
            guard !isDelivering else { return false }
            isDelivering = true
            return true
        }

        private mutating func count(_ step: Step) {
            if case .event = step { sentCount += 1 }
        }

        mutating func next() -> (Step, [Handler])? {
            guard nextPending < pending.count, let next = pending[nextPending] else {
                pending.removeAll(keepingCapacity: pending.count <= 16)
                nextPending = 0
                isDelivering = false
                return nil
            }
            pending[nextPending] = nil
            nextPending += 1
            if nextPending >= 64, nextPending * 2 >= pending.count {
                // While others keep sending there is never a moment without anything pending.
                pending.removeFirst(nextPending)
                nextPending = 0
            }
            return (next.step, handlers(upTo: next.lastID))
        }

        private func handlers(upTo id: Int) -> [Handler] {
            guard let last = handlers.last, last.id > id else { return handlers }
            return handlers.filter { $0.id <= id }
        }
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
