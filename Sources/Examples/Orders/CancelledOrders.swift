import Synchronization
public import ViewModels

/// The orders that were cancelled in one session: what the list, the details and the confirmation that stand on each other
/// have in common, although none knows the others.
public final class CancelledOrders: Singleton {
    /// Not the whole process: other users have their own.
    public static let scope = SingletonScope.session

    /// Raised once for each order, on whatever thread cancels it.
    public let cancelled = Event<Order>()
    private let ids = Mutex<Set<Int>>([])

    /// Nothing is cancelled yet.
    public init(container: Container, arguments: Void) {}

    /// Cancels an order, the first time.
    public func cancel(_ order: Order) {
        if ids.withLock({ $0.insert(order.id).inserted }) { cancelled.raise(order) }
    }

    /// Whether it was cancelled.
    public func contains(_ order: Order) -> Bool {
        ids.withLock { $0.contains(order.id) }
    }
}
