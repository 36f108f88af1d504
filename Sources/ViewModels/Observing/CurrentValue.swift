import Synchronization

/// A value, and an event that is raised with each new one.
///
/// The last value that is delivered is always the newest, and all handlers see the same order, even when several
/// threads set it at once: a change takes its place in the order under the lock that guards the value. A value set
/// inside a handler is queued, as in an `Output`.
final class CurrentValue<Value: Sendable>: Sendable {
    let changed = Event<Value>()
    private let stored: Mutex<Value>

    init(_ value: Value) {
        stored = Mutex(value)
    }

    var value: Value {
        get { stored.withLock { $0 } }
        set {
            let hold = changed.holdTurn()
            // The old value is released with no lock held: its end may set this very value.
            let old = stored.withLock { value in
                let old = value
                value = newValue
                changed.output.enqueue(newValue, in: hold)
                return old
            }
            changed.output.deliverPending()
            withExtendedLifetime(old) {}
        }
    }

    /// Calls `handler` with the current value and then with each new one. No value is missed, and none comes twice.
    func subscribeAndFire(_ handler: EventHandler<Value>) {
        changed.prune()
        let replaced = stored.withLock { changed.add(handler, first: $0) }
        changed.output.deliverPending()
        withExtendedLifetime(replaced) {}
    }

    /// Calls `handler` with the current value, and with each later one on the thread that sets it, until the subscription ends.
    func subscribeAndFire(_ handler: @escaping @Sendable (Value) -> Void) -> Subscription {
        let subscription = stored.withLock { changed.output.enqueue($0, to: handler) }
        changed.output.deliverPending()
        return subscription
    }
}
