/// Where orders come from. The container has one, so that a test or another application has its own.
public protocol OrdersProvider: Sendable {
    /// Takes as long as it takes; stops early when the task is cancelled.
    ///
    /// - Parameter wish: what the list was opened with.
    func loadOrders(_ wish: OrdersViewModel.Arguments) async throws -> [Order]
}
