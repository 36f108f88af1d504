public import ViewModels

/// The orders that were cancelled in one session. The list, the details and the confirmation share it, although none
/// knows the others.
public final class CancelledOrders: Singleton, DurableSingleton {
    /// One session, and not the whole process: other users have their own.
    public static let scope = SingletonScope.session

    /// Raised once for each order, on the thread that cancels it.
    public let cancelled = Event<Order>()
    private let ids = Saved<Set<Int>>([])

    /// No order is cancelled yet.
    public init(container: Container, arguments: Void) {}

    /// Cancels an order. Does nothing the second time.
    public func cancel(_ order: Order) {
        if ids.update({ $0.insert(order.id).inserted }) { cancelled.raise(order) }
    }

    /// Whether this order was cancelled.
    public func contains(_ order: Order) -> Bool {
        ids.wrappedValue.contains(order.id)
    }

    /// The ids of all that were cancelled, in ascending order.
    public var all: [Int] { ids.wrappedValue.sorted() }
}
