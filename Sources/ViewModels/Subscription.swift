import Synchronization

/// A handler's place in an `Output`; keep it for as long as the handler shall be called.
///
/// Releasing the last reference cancels it. An event that is being delivered at that moment may still arrive.
public final class Subscription: Sendable {
    private let onCancel: Mutex<(@Sendable () -> Void)?>

    init(onCancel: @escaping @Sendable () -> Void) {
        self.onCancel = Mutex(onCancel)
    }

    deinit {
        cancel()
    }

    /// Ends the subscription. Any task may call it, any number of times.
    public func cancel() {
        let action = onCancel.withLock { action in
            defer { action = nil }
            return action
        }
        action?()
    }
}
