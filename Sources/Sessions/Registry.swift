package import JSON
public import ViewModels

/// The view models that clients can open, by name, and the container that makes what they need.
///
/// ```swift
/// registry.container.register((any OrdersProvider).self) { _ in LiveOrders() }
/// registry.add("hello") { HelloViewModel() }
/// registry.add("counter") { CounterViewModel(arguments: $0) }
/// registry.add("orders", OrdersViewModel.self)
/// ```
///
/// Event types travel as flat JSON objects with a `kind`, by their own `Codable` conformance; for an enum the compiler's is
/// the right one.
public struct Registry: Sendable {
    /// The process's container. Each session that a client opens has its own inside this one, shared with all that is
    /// pushed onto that session or presented over it.
    public let container: Container

    // No dictionaries: the first ones with such keys take the runtime 0.1 ms each, while the process starts.
    /// By name.
    private var entries: [Entry] = []
    /// As they were registered.
    private var screens: [Screen] = []
    /// The name that was registered first of those that clients can open, which is most often the simplest to try.
    package private(set) var firstName: String?

    /// A registry that knows no view model.
    ///
    /// - Parameter clock: the `any Clock<Duration>` that the container resolves, for view models that sleep or measure.
    public init(clock: any Clock<Duration> = ContinuousClock()) {
        container = Container(clock: clock)
    }

    /// The names that clients can open, in alphabetical order.
    package var names: [String] { entries.filter { $0.make != nil }.map(\.name) }

    /// All registered names in alphabetical order, those that only other view models can show included.
    package var allNames: [String] { entries.map(\.name) }

    /// What hosts a view model of this name; nil when clients can't open any.
    ///
    /// - Parameter container: the session's; asked for when the view model is made, where that needs one.
    package func host(
        _ name: String, arguments: JSONValue?, at path: JSONPointer,
        in container: @escaping @autoclosure @Sendable () -> Container
    ) throws(JSONCodingError) -> (any ModelHost)? {
        try entry(name)?.make?(arguments, path, container)
    }

    /// What a view model of this type is called when others show it; nil when it isn't registered.
    func screen(of type: any Any.Type) -> Screen? {
        screens.first { $0.type == type }
    }

    /// The types of a view model of this name; nil when there is none.
    package func types(of name: String) -> ViewModelTypes? { entry(name)?.types }

    private static func events<Model: HostableViewModel>(of type: Model.Type) -> ViewModelTypes.Events {
        switch type {
        case is any ObservableViewModel.Type:
            PropertyNames.values(of: type).map { .values($0) } ?? .cases(Model.HostedEvent.self)
        case let type as any NotifyingViewModel.Type: .values([(ChangeEvent<Never>.name, stateType(type))])
        default: .cases(Model.HostedEvent.self)
        }
    }

    private static func stateType<Model: NotifyingViewModel>(_ type: Model.Type) -> any Any.Type { Model.State.self }

    mutating func insert<Model: HostableViewModel>(
        _ name: String, _ type: Model.Type, _ arguments: ViewModelTypes.Arguments, make: Entry.Make?
    ) where Model.HostedViewEvent: Decodable, Model.HostedEvent: Encodable {
        let index = index(notBefore: name)
        precondition(entry(name) == nil, "two view models are registered as \"\(name)\"")
        let entry = Entry(
            name: name, make: make, model: type, arguments: arguments, viewEvent: Model.HostedViewEvent.self,
            events: { Self.events(of: type) })
        entries.insert(entry, at: index)
        if make != nil, firstName == nil { firstName = name }
        // One type may have several names; others show it by its first.
        if screen(of: type) == nil {
            screens.append(
                Screen(name: name, type: type) { model in (model as? Model).map { model in HostedView { model } } })
        }
    }

    private func entry(_ name: String) -> Entry? {
        let index = index(notBefore: name)
        return index < entries.count && entries[index].name == name ? entries[index] : nil
    }

    private func index(notBefore name: String) -> Int {
        var (low, high) = (0, entries.count)
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].name < name { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
