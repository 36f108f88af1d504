public import ViewModelServer

/// The examples, in the order in which they are best read.
public enum Examples {
    /// Registers every example. Those that measure time do it by the clock of the registry's container.
    public static func register(in registry: inout Registry) {
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
