import Synchronization

/// The events of a view model or a View, on their way to every handler in the order of subscription.
///
/// ```swift
/// let output = Output<Int>()
/// let subscription = output.subscribe { print($0) }
/// output.send(7)
/// subscription.cancel()
/// ```
///
/// **Order.** Events are delivered one at a time. Where a handler sends again, directly or through others, its event
/// waits until every handler has had the one before. So all handlers see the same order.
///
/// **Threads.** Any task or thread may call any member. When two threads send at once, one of them delivers both
/// events, and the other's `send(_:)` returns at once. No event is lost.
public final class Output<Event: Sendable>: Sendable {
    private let state = Mutex(OutputState())
    /// A copy of `OutputState.isBusy` that is read without the lock. A thread that has sent an event reads true here until the
    /// event has been delivered.
    private let isBusy = Atomic(false)

    /// An output without handlers. Events that are sent before the first subscription reach nobody.
    public init() {}

    /// Delivers `event` to every handler, in the order of subscription.
    ///
    /// The event is delivered when this returns, with two exceptions. Inside a handler, and while another thread
    /// delivers, it is queued behind the others, and this returns at once.
    public func send(_ event: Event) {
        if let subscribers = changeSteps({ $0.beginEvent() }) {
            Self.deliver(event, to: subscribers)
            deliverRest()
        } else {
            enqueue(event)
            deliverPending()
        }
    }

    /// Waits until no View is far behind, then delivers `event` as `send(_:)` does.
    ///
    /// For a handler or a task that sends without end, or faster than a View reads:
    ///
    /// ```swift
    /// while let line = file.nextLine() {
    ///     try await output.stream(.line(line))
    /// }
    /// ```
    ///
    /// It is `ready()` and then `send(_:)`. A view model that shows what it has sent in its `snapshot()` calls these
    /// two itself, and changes its state between them.
    ///
    /// - Throws: `CancellationError`, as `ready()` does; then the event isn't sent.
    public nonisolated(nonsending) func stream(_ event: Event) async throws {
        try await ready()
        send(event)
    }

    /// Waits until no View is far behind. Sends nothing.
    ///
    /// A View is far behind once more than 64 events, or 256 KiB of them, wait for it, until it has taken them all. For
    /// a view model that changes its state and sends an event of it in one step, so that no snapshot comes between:
    ///
    /// ```swift
    /// while let line = file.nextLine() {
    ///     try await output.ready()
    ///     lines.append(line)
    ///     output.send(.line(line))
    /// }
    /// ```
    ///
    /// It waits for the slowest View of all. A View of a client that takes nothing for ten seconds (the limit
    /// `viewTime`) isn't waited for any more, until it has caught up. A View in the same process is waited for as long
    /// as it takes. Without Views this returns at once, and so it does in a handler of a `DurableViewModel` on a server
    /// with a store, whose events are sent once it has returned.
    ///
    /// - Throws: `CancellationError` where the calling task is cancelled, as by a client that cancels or supersedes its
    ///   event, and where nobody subscribes any more, since the session has ended or the last View was unbound. So a
    ///   task of the view model's own that streams ends with its session.
    public nonisolated(nonsending) func ready() async throws {
        for pace in state.withLock({ $0.allPaces }) { try await pace.waitForRoom() }
        try Task.checkCancellation()
        if state.withLock({ $0.hasEnded }) { throw CancellationError() }
    }

    /// Calls `handler` with every event from now on, until the subscription is cancelled or released.
    ///
    /// - Parameter handler: called on the thread that sends. It must not block, since the sender waits for it. Its
    ///   captures live as long as the subscription. So a receiver that keeps the subscription must be captured weakly.
    /// - Returns: the subscription. Keep it: releasing it ends it.
    public func subscribe(_ handler: @escaping @Sendable (Event) -> Void) -> Subscription {
        subscription(add(handler))
    }

    private func subscription(_ number: Int) -> Subscription {
        Subscription { [weak self] in self?.removeHandler(number) }
    }

    /// Subscribes without an object for the subscription, for as long as this output lives.
    ///
    /// - Parameter pace: waited for by `stream(_:)`.
    /// - Returns: the number by which `removeHandler(_:)` ends the subscription before.
    package func add(pace: (any OutputPace)? = nil, _ handler: @escaping @Sendable (Event) -> Void) -> Int {
        let handler = OutputHandler(handler)
        return state.withLock { state in
            let number = state.add(handler)
            if let pace { state.add(pace, of: number) }
            return number
        }
    }

    /// Returns once every event that was sent before this call has reached every handler. A handler must not call it,
    /// since it would wait for itself.
    func settle() async {
        guard !isSettled else { return }
        await withCheckedContinuation { continuation in afterPending { continuation.resume() } }
    }

    /// How many events have been sent, delivered or not.
    package var sentCount: Int { state.withLock { $0.sentCount } }

    /// Does what `afterPending(_:)` does, if no event has been sent since `sentCount` was `count`.
    ///
    /// - Returns: false when one has; then `action` is never run.
    package func afterPending(ifSent count: Int, _ action: @escaping @Sendable () -> Void) -> Bool {
        let isUnchanged = changeSteps { state in
            guard state.sentCount == count else { return false }
            state.queue { _ in action() }
            return true
        }
        if isUnchanged { deliverPending() }
        return isUnchanged
    }

    /// Queues `event` without delivering it; `deliverPending()` must follow. So a caller can hold a lock of its own for
    /// the order, and release it for the delivery.
    ///
    /// - Parameter hold: the hold of the turn that the delivery belongs to, on whichever thread it happens.
    func enqueue(_ event: Event, in hold: EventTurn.Hold? = nil) {
        changeSteps { state in
            guard let hold else { return state.queueEvent { Self.deliver(event, to: $0) } }
            state.queueEvent { subscribers in hold.deliver { Self.deliver(event, to: subscribers) } }
        }
    }

    /// Subscribes `handler`, and queues `event` for it alone, ahead of all later events. `deliverPending()`
    /// must follow.
    func enqueue(
        _ event: Event, to handler: @escaping @Sendable (Event) -> Void, in hold: EventTurn.Hold? = nil
    ) -> Subscription {
        let added = OutputHandler(handler)
        return subscription(
            changeSteps { state in
                defer {
                    state.queue { _ in
                        guard let hold else { return handler(event) }
                        hold.deliver { handler(event) }
                    }
                }
                return state.add(added)
            })
    }

    /// Delivers the queued events, unless another thread, or a call further out on this one, is delivering.
    package func deliverPending() {
        if changeSteps({ $0.beginPending() }) { deliverRest() }
    }

    /// Changes the state, and brings `isBusy` up to date. Every change that makes the output busy, or ends that, goes through
    /// here.
    @inline(__always)
    private func changeSteps<R: Sendable>(_ body: (inout OutputState) -> R) -> R {
        state.withLock { state in
            let result = body(&state)
            isBusy.store(state.isBusy, ordering: .releasing)
            return result
        }
    }

    private func deliverRest() {
        // Released with no lock held: what a step captured may end with it, and send.
        while let steps = changeSteps({ $0.takePending() }) {
            for step in steps { step.body(state.withLock { $0.subscribers(of: step) }) }
        }
    }

    private static func deliver(_ event: Event, to subscribers: [OutputState.Subscriber]) {
        // Every subscriber of this output was added with this type.
        for subscriber in subscribers { unsafeDowncast(subscriber.handler, to: OutputHandler<Event>.self).body(event) }
    }
}

extension Output {
    /// Returns true to the first caller only, ever: that caller may start the view model that owns this output.
    ///
    /// The flag is here, and not in `AnyViewModel`, because every erasure of one view model shares its output.
    package func claimStart() -> Bool {
        state.withLock { state in
            defer { state.isStarted = true }
            return !state.isStarted
        }
    }

    /// Changes the life of the view model that owns this output. It is here because every erasure of a view model shares its
    /// output.
    @discardableResult
    func changeLife<R: Sendable>(_ body: (inout ViewModelLife) -> R) -> R {
        state.withLock { body(&$0.life) }
    }

    /// An object that lives as long as this output: the binding of the View that owns it. Setting it releases the
    /// one before.
    package var retained: (any AnyObject & Sendable)? {
        get { state.withLock { $0.retained } }
        set {
            let old = state.withLock { state in
                defer { state.retained = newValue }
                return state.retained
            }
            // Released here, with no lock held: its end unsubscribes, which may lock this very output.
            withExtendedLifetime(old) {}
        }
    }
}

extension Output: AnyOutput {
    package func removeHandler(_ number: Int) {
        let removed = state.withLock { $0.remove(number) }
        // Released here, with no lock held: what it captured may end with it, and send or cancel on this very output.
        withExtendedLifetime(removed) {}
    }

    package var isSettled: Bool { !isBusy.load(ordering: .acquiring) }

    package func queueStep(_ step: @escaping @Sendable () -> Void) {
        changeSteps { $0.queueEvent { _ in step() } }
    }

    package func noteChange() {
        state.withLock { $0.noteChange() }
    }

    package func afterPending(_ action: @escaping @Sendable () -> Void) {
        if changeSteps({ $0.begin() }) {
            action()
            deliverRest()
        } else {
            changeSteps { $0.queue { _ in action() } }
            deliverPending()
        }
    }
}

/// An `Output` without the type of its events.
package protocol AnyOutput: AnyObject, Sendable {
    /// Ends the subscription to which `add(_:)` gave this number.
    func removeHandler(_ number: Int)

    /// How many events have been sent, delivered or not.
    var sentCount: Int { get }

    /// Whether every event that was sent so far has reached every handler.
    var isSettled: Bool { get }

    /// Queues a step that counts as an event and reaches no handler; `deliverPending()` must follow, or an event.
    func queueStep(_ step: @escaping @Sendable () -> Void)

    /// Notes that what a queued step will do has changed, so that a snapshot that is being made is out of date.
    func noteChange()

    /// Delivers the queued events, unless another thread, or a call further out on this one, is delivering.
    func deliverPending()

    /// Runs `action` once every event that was sent before this call has reached every handler: on this thread, unless
    /// another is delivering.
    func afterPending(_ action: @escaping @Sendable () -> Void)
}
