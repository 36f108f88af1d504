import Synchronization

/// A value, and an event that is raised with each new one.
///
/// What is delivered last is always the newest, and every handler sees one order, whoever sets it at once: a change takes
/// its place in the order under the lock that guards the value. Setting it inside a handler is queued as `Output` queues.
final class CurrentValue<Value: Sendable>: Sendable {
    let changed = Event<Value>()
    private let stored: Mutex<Value>

    init(_ value: Value) {
        stored = Mutex(value)
    }

    var value: Value {
        get { stored.withLock { $0 } }
        set {
            // The old value is let go of outside the lock: its end may set this very value.
            let old = stored.withLock { value in
                let old = value
                value = newValue
                changed.enqueue(newValue)
                return old
            }
            changed.deliverPending()
            withExtendedLifetime(old) {}
        }
    }

    /// Calls `handler` with the current value and then with each new one; none is missed and none comes twice.
    func subscribeAndFire(_ handler: EventHandler<Value>) {
        changed.prune()
        let replaced = stored.withLock { changed.add(handler, first: $0) }
        changed.deliverPending()
        withExtendedLifetime(replaced) {}
    }

    /// The same, without an owner and on whatever thread sets the value.
    func subscribeAndFire(_ handler: @escaping @Sendable (Value) -> Void) -> Subscription {
        let subscription = stored.withLock { changed.output.enqueue($0, to: handler) }
        changed.deliverPending()
        return subscription
    }
}
