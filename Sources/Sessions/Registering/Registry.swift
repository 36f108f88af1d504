package import JSON
public import ViewModels

// Over 400 lines because each way to add a view model, in Registry+Adding, is public and documented.
/// The view models of a server by name, and the container that makes their dependencies.
///
/// ```swift
/// func register(in registry: inout Registry) {
///     registry.container.register((any OrdersProvider).self) { _ in LiveOrders() }
///     registry.add("hello") { HelloViewModel() }
///     registry.add("counter") { CounterViewModel(arguments: $0) }
///     registry.add("orders", OrdersViewModel.self)
///     registry.addChild("orderDetails", OrderDetailsViewModel.self)
/// }
/// ```
///
/// Clients open what is registered by `add`. View models push and present what is registered by `addChild`. Clients can
/// open a child only where it is registered with `canBeOpened: true`.
///
/// Events are flat JSON objects with a `kind`, made by the `Codable` conformance of their types. Leave the conformance
/// of an enum to the compiler.
///
/// A registry is filled before the server starts, and doesn't change after that. Its `container` is shared by all
/// copies of the registry.
public struct Registry: Sendable {
    /// The container of the process. Each session that a client opens has a container of its own inside this one,
    /// shared with everything that is pushed onto that session or presented over it.
    public let container: Container

    // No dictionaries: the first ones with such keys cost the runtime time while the process starts.
    /// The registered view models, in alphabetical order of their names.
    private(set) var entries: [Entry] = []
    /// The view models that others can show, in the order in which they were registered.
    private var screens: [Screen] = []
    /// The first registered name that clients can open, which is most often the simplest to try.
    package private(set) var firstName: String?

    /// A registry without view models.
    ///
    /// - Parameter clock: the `any Clock<Duration>` that the container resolves. View models that sleep or measure time
    ///   take it from there.
    public init(clock: any Clock<Duration> = ContinuousClock()) {
        container = Container(clock: clock)
        container.watchSingletons { throw KeptByProcess(type: TypeNames.qualified(type(of: $0))) }
    }

    /// The names that clients can open, in alphabetical order.
    package var names: [String] { entries.filter { $0.make != nil }.map(\.name) }

    /// All registered names in alphabetical order, including those that only other view models can show.
    package var allNames: [String] { entries.map(\.name) }

    /// The names that clients can't open, in alphabetical order.
    package var childNames: [String] { entries.filter { $0.make == nil }.map(\.name) }

    /// Returns the model for a session of this name; nil when clients can't open one. The arguments are decoded, and the view
    /// model is made, when the session is opened.
    ///
    /// - Parameters:
    ///   - arguments: a client's arguments; nil where it gave none.
    ///   - path: the place of the arguments in the params.
    ///   - storedVersion: the version of arguments that were stored; nil where a client gives them now.
    ///   - container: the session's container, asked for when the view model is made, where that needs one.
    /// - Throws: `JSONCodingError` where there are arguments and the view model takes none.
    package func sessionModel(
        _ name: String, arguments: JSONText?, at path: JSONPointer, storedVersion: Int? = nil,
        in container: @escaping @autoclosure @Sendable () -> Container
    ) throws(JSONCodingError) -> (any SessionModel)? {
        let arguments = OpeningArguments(
            viewModel: name, text: arguments ?? .emptyObject, path: path, storedVersion: storedVersion)
        return try entry(name)?.make?(arguments, container)
    }

    /// Returns which session a client gets that opens this view model; `each` for an unknown name.
    package func scope(of name: String) -> SessionScope { entry(name)?.scope ?? .each }

    /// Returns a function that reads a client's arguments, and returns the text by which a session of a scope is found. Equal
    /// arguments have the same text. The function runs the code of their type, and throws as making the view model does.
    ///
    /// - Parameters:
    ///   - arguments: nil where the client gave none.
    ///   - path: the place of the arguments in the params.
    package func findingText(
        of name: String, _ arguments: JSONText?, at path: JSONPointer
    ) -> (@Sendable () throws -> JSONText)? {
        guard let entry = entry(name) else { return nil }
        let opening = OpeningArguments(
            viewModel: name, text: arguments ?? .emptyObject, path: path, storedVersion: nil)
        return { [finding = entry.finding] in try finding(opening) }
    }

    /// Returns the version that the arguments of a client are stored under.
    package func argumentsVersion(of name: String) -> Int {
        if case .decoded(let type)? = entry(name)?.arguments { OlderArguments.version(of: type) } else { 1 }
    }

    /// Returns how others show a view model of this type. A type with several names has the first.
    ///
    /// - Throws: `notRegistered`, or `notAChild` where only clients can open it.
    func screen(of type: any Any.Type) throws(NavigationError) -> Screen {
        if let screen = screens.first(where: { $0.type == type }) { return screen }
        guard let opened = entries.first(where: { $0.model == type }) else { throw .notRegistered("\(type)") }
        throw .notAChild("\(type)", name: opened.name)
    }

    /// Whether other view models can show this type.
    package func isChild(_ type: any Any.Type) -> Bool { screens.contains { $0.type == type } }

    /// Returns the types of the view model of this name; nil when there is none.
    package func types(of name: String) -> ViewModelTypes? { entry(name)?.types }

    /// Whether sessions of this name outlive their process, where there is a store.
    package func isDurable(_ name: String) -> Bool { entry(name)?.model is any DurableViewModel.Type }

    /// Returns the Swift type behind a name as clients are told it, such as "Examples.OrdersViewModel"; nil for an unknown
    /// name.
    package func typeName(of name: String) -> String? { entry(name).map { ViewModelTypes.name(of: $0.model) } }

    mutating func insert<Model: HostableViewModel>(
        _ name: String, _ type: Model.Type, _ arguments: ViewModelTypes.Arguments, _ scope: SessionScope = .each,
        finding: @escaping Entry.Finding = { _ in .emptyObject }, make: Entry.Make?
    ) where Model.HostedViewEvent: Decodable, Model.HostedEvent: Encodable {
        let index = index(notBefore: name)
        precondition(entry(name) == nil, "two view models are registered as \"\(name)\"")
        let entry = Entry(
            name: name, make: make, model: type, arguments: arguments, viewEvent: Model.HostedViewEvent.self,
            scope: scope, finding: finding, events: { ViewModelTypes.Events(of: type) })
        entries.insert(entry, at: index)
        if make != nil, firstName == nil { firstName = name }
    }

    /// Lets other view models show this type, under this name unless it has one already.
    mutating func insertScreen<Model: HostableViewModel & PerRequest>(_ name: String, _ type: Model.Type)
    where Model.HostedViewEvent: Decodable, Model.HostedEvent: Encodable {
        screens.append(
            Screen(
                name: name, type: type,
                wrap: { model in (model as? Model).map { model in HostedModel { model } } },
                remake: { text, version, container in
                    HostedModel {
                        try container().resolve(
                            Model.self, arguments: StoredArguments<Model.Arguments>.decode(text, version: version))
                    }
                }))
    }

    /// Returns the model for a child's session in a later life; nil where no child has this name.
    ///
    /// - Parameter child: has the JSON text of the child's arguments.
    package func childModel(
        _ child: StoredSession.Header, in container: @escaping @autoclosure @Sendable () -> Container
    ) -> (any SessionModel)? {
        screens.first { $0.name == child.viewModel }?.remake(child.arguments, child.argumentsVersion, container)
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

extension Registry {
    /// One name, as it was registered.
    struct Entry: Sendable {
        /// Makes a session's model, given its arguments and its container, which is asked for only where it is needed.
        typealias Make =
            @Sendable (OpeningArguments, @escaping @Sendable () -> Container) throws(JSONCodingError)
            -> any SessionModel

        /// Returns the arguments in the form in which they find a session.
        typealias Finding = @Sendable (OpeningArguments) throws -> JSONText

        let name: String
        /// Makes a session's model; nil where only other view models can show this one.
        let make: Make?
        let model: any Any.Type
        let arguments: ViewModelTypes.Arguments
        let viewEvent: any Any.Type
        let scope: SessionScope
        let finding: Finding
        /// Looks up the types of the events, which takes time, when they are asked for.
        let events: @Sendable () -> ViewModelTypes.Events

        var types: ViewModelTypes {
            ViewModelTypes(
                name: name, model: model, arguments: arguments, scope: scope, viewEvent: viewEvent, events: events(),
                lists: (PropertyNames.lists(of: model) ?? []).map { (name: $0.name, row: $0.type) },
                state: ViewModelTypes.State(of: model, arguments),
                shared: PropertyNames.durableSingletons(of: model).filter { $0.scope == .session }.map { .init($0) })
        }
    }

    /// A view model's type as other view models show it.
    struct Screen: Sendable {
        let name: String
        let type: any Any.Type
        /// Makes a session's model of a view model that is there already; nil when it is of another type.
        let wrap: @Sendable (any AnyObject & Sendable) -> (any SessionModel)?
        /// Makes a session's model that makes the view model anew, from the text of its arguments and their version.
        let remake: @Sendable ([UInt8]?, Int, @escaping @Sendable () -> Container) -> any SessionModel
    }
}
