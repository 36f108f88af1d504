public import ViewModelServer

/// The examples, in the order in which they are best read.
public enum Examples {
    /// Names every example.
    public static func register(in registry: inout Registry) {
        registry.add("hello") { HelloViewModel() }
        registry.add("counter") { CounterViewModel(arguments: $0) }
        registry.add("orders") { OrdersViewModel(arguments: $0) }
    }
}
