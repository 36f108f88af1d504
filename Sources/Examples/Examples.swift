public import ViewModelServer

/// The examples, in the order in which they are best read.
public enum Examples {
    /// Names every example.
    ///
    /// - Parameter clock: measures whatever takes time; a test gives its own and doesn't wait.
    public static func register(in registry: inout Registry, clock: any Clock<Duration> = ContinuousClock()) {
        registry.container.register((any Clock<Duration>).self) { _ in clock }
        registry.container.register((any OrdersProvider).self) { container in
            try SampleOrdersProvider(clock: container.resolve())
        }
        registry.add("hello") { HelloViewModel() }
        registry.add("counter") { CounterViewModel(arguments: $0) }
        registry.add("stopwatch", StopwatchViewModel.self)
        registry.add("todos") { TodosViewModel() }
        registry.add("orders", OrdersViewModel.self)
        registry.add("orderDetails", OrderDetailsViewModel.self)
        registry.add("confirmCancel", ConfirmCancelViewModel.self)
    }
}
