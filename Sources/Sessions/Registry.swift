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
    public let container = Container()

    private var entries: [String: Entry] = [:]
    private var screens: [ObjectIdentifier: Screen] = [:]
    /// The name that was registered first of those that clients can open, which is most often the simplest to try.
    package private(set) var firstName: String?

    /// A registry that knows no view model.
    public init() {}

    /// The names that clients can open, in alphabetical order.
    package var names: [String] { entries.filter { $0.value.make != nil }.keys.sorted() }

    /// All registered names in alphabetical order, those that only other view models can show included.
    package var allNames: [String] { entries.keys.sorted() }

    /// What hosts a view model of this name; nil when clients can't open any.
    ///
    /// - Parameter container: the session's; asked for when the view model is made, where that needs one.
    package func host(
        _ name: String, arguments: JSONValue?, at path: JSONPointer,
        in container: @escaping @autoclosure @Sendable () -> Container
    ) throws(JSONCodingError) -> (any ModelHost)? {
        try entries[name]?.make?(arguments, path, container)
    }

    /// What a view model of this type is called when others show it; nil when it isn't registered.
    func screen(of type: any Any.Type) -> Screen? {
        screens[ObjectIdentifier(type)]
    }

    /// The kinds of events that a view model of this name takes and sends, each nil where they can't be known.
    package func kinds(of name: String) -> (viewEvents: [String]?, viewModelEvents: [String]?) {
        guard let entry = entries[name] else { return (nil, nil) }
        return (EventKinds.of(entry.viewEvent), entry.viewModelEvents())
    }

    private static func viewModelEvents<Model: HostableViewModel>(of type: Model.Type) -> [String]? {
        switch type {
        case is any ObservableViewModel.Type: PropertyNames.of(type)?.sorted()
        case is any NotifyingViewModel.Type: [ChangeEvent<Never>.name]
        default: EventKinds.of(Model.HostedEvent.self)
        }
    }

    mutating func insert<Model: HostableViewModel>(_ name: String, _ type: Model.Type, make: Entry.Make?)
    where Model.HostedViewEvent: Decodable, Model.HostedEvent: Encodable {
        precondition(entries[name] == nil, "two view models are registered as \"\(name)\"")
        entries[name] = Entry(make: make, viewEvent: Model.HostedViewEvent.self) { Self.viewModelEvents(of: type) }
        if make != nil, firstName == nil { firstName = name }
        let id = ObjectIdentifier(type)
        // One type may have several names; others show it by its first.
        if screens[id] == nil {
            screens[id] = Screen(name: name) { model in (model as? Model).map { model in HostedView { model } } }
        }
    }
}
