/// A stored property whose value and changes a host can send: `@Observed` and `Dynamic`.
protocol HostableProperty: Sendable {
    associatedtype Value: Sendable

    /// Reflection knows it by the name of the wrapper's own storage.
    static var isWrapper: Bool { get }

    var current: CurrentValue<Value> { get }
}

extension HostableProperty {
    /// Calls `send` with the value as it is and then with each new one, on whatever thread sets it.
    func events(named name: String, _ send: @escaping @Sendable (PropertyEvent) -> Void) -> Subscription {
        current.subscribeAndFire { send(PropertyEvent(name: name, value: $0)) }
    }

    /// Returns when every change so far has been sent.
    func settle() async {
        await current.changed.output.settle()
    }
}

extension Observed: HostableProperty {
    static var isWrapper: Bool { true }
}

extension Dynamic: HostableProperty {
    static var isWrapper: Bool { false }
}
