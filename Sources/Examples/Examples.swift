public import ViewModelServer

/// The examples, in the order in which they are best read.
public enum Examples {
    /// Names every example.
    ///
    /// - Parameter clock: measures whatever takes time; a test gives its own and doesn't wait.
    public static func register(in registry: inout Registry, clock: any Clock<Duration> = ContinuousClock()) {
        registry.add("hello") { HelloViewModel() }
        registry.add("counter") { CounterViewModel(arguments: $0) }
        registry.add("orders") { OrdersViewModel(arguments: $0, clock: clock) }
    }
}
