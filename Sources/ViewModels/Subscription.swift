import Synchronization

/// A handler's place at an `Output`. Keep it for as long as the handler is to be called.
///
/// Releasing the last reference cancels it. `Output` has an example.
public final class Subscription: Sendable {
    private let onCancel: Mutex<(@Sendable () -> Void)?>

    init(onCancel: @escaping @Sendable () -> Void) {
        self.onCancel = Mutex(onCancel)
    }

    deinit {
        cancel()
    }

    /// Ends the subscription. Any thread may call it, any number of times.
    ///
    /// A call of the handler that another thread has begun may still be running when this returns.
    public func cancel() {
        let action = onCancel.withLock { action in
            defer { action = nil }
            return action
        }
        action?()
    }
}
