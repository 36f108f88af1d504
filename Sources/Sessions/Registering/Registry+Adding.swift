import JSON
public import ViewModels

extension Registry {
    /// Registers a view model that takes no arguments.
    ///
    /// ```swift
    /// registry.add("hello") { HelloViewModel() }
    /// ```
    ///
    /// - Parameters:
    ///   - name: the name that clients pass to `session/open`. Registering a name twice stops the program.
    ///   - scope: which session a client gets.
    ///   - make: called once for each session, off the main actor. It is `async`, so that it can make a `@MainActor`
    ///     view model. Where it throws, `session/open` is answered `ViewModelFailed` with the error's description.
    public mutating func add<Model: HostableViewModel>(
        _ name: String, scope: SessionScope = .each, make: @escaping @Sendable () async throws -> Model
    ) where Model.HostedViewEvent: Decodable, Model.HostedEvent: Encodable {
        insert(name, Model.self, .none, scope) { arguments, _ throws(JSONCodingError) in
            try arguments.checkEmpty()
            return HostedModel(make: make)
        }
    }

    /// Registers a view model that is made with the client's `arguments`.
    ///
    /// ```swift
    /// registry.add("counter") { CounterViewModel(arguments: $0) }
    /// ```
    ///
    /// - Parameters:
    ///   - name: the name that clients pass to `session/open`. Registering a name twice stops the program.
    ///   - scope: which session a client gets. For another one than `each`, the arguments must be `Codable`: otherwise the
    ///     program stops.
    ///   - make: called once for each session, off the main actor, with the decoded arguments. Where the client gave
    ///     none, they are decoded from an empty object. Where they don't fit, or have a member that `Arguments` doesn't
    ///     have, `session/open` is answered `InvalidParams` with the path of the member, and `make` isn't called. For a
    ///     value that can't be taken, throw `InvalidArgument`, which is answered in the same way. Any other error is
    ///     answered `ViewModelFailed`, with its description.
    public mutating func add<Model: HostableViewModel, Arguments: Decodable & Sendable>(
        _ name: String, scope: SessionScope = .each, make: @escaping @Sendable (Arguments) async throws -> Model
    ) where Model.HostedViewEvent: Decodable, Model.HostedEvent: Encodable {
        insert(name, Model.self, taking: Arguments.self, scope) { arguments, _ in
            HostedModel { try await make(arguments.decode(Arguments.self)) }
        }
    }

    /// Registers a view model that takes what it needs from its session's container.
    ///
    /// ```swift
    /// registry.add("stopwatch") { container in StopwatchViewModel(clock: try container.resolve()) }
    /// ```
    ///
    /// - Parameters:
    ///   - name: the name that clients pass to `session/open`. Registering a name twice stops the program.
    ///   - scope: which session a client gets.
    ///   - make: called once for each session, off the main actor, with the container that the session shares with
    ///     everything pushed onto it or presented over it. Where it throws, `session/open` is answered
    ///     `ViewModelFailed` with the error's description.
    public mutating func add<Model: HostableViewModel>(
        _ name: String, scope: SessionScope = .each, make: @escaping @Sendable (Container) async throws -> Model
    ) where Model.HostedViewEvent: Decodable, Model.HostedEvent: Encodable {
        insert(name, Model.self, .none, scope) { arguments, container throws(JSONCodingError) in
            try arguments.checkEmpty()
            return HostedModel { try await make(container()) }
        }
    }

    /// Registers a view model that takes what it needs from its session's container, and the client's `arguments`.
    ///
    /// ```swift
    /// registry.add("orders") { OrdersViewModel(container: $0, arguments: $1) }
    /// ```
    ///
    /// - Parameters:
    ///   - name: the name that clients pass to `session/open`. Registering a name twice stops the program.
    ///   - scope: which session a client gets. For another one than `each`, the arguments must be `Codable`: otherwise the
    ///     program stops.
    ///   - make: called once for each session, off the main actor, with the session's container and the decoded
    ///     arguments. The session shares its container with everything pushed onto it or presented over it. Arguments
    ///     that don't fit are answered `InvalidParams`, and `make` isn't called. Throw `InvalidArgument` for a value
    ///     that can't be taken; any other error is answered `ViewModelFailed`.
    public mutating func add<Model: HostableViewModel, Arguments: Decodable & Sendable>(
        _ name: String, scope: SessionScope = .each,
        make: @escaping @Sendable (Container, Arguments) async throws -> Model
    ) where Model.HostedViewEvent: Decodable, Model.HostedEvent: Encodable {
        insert(name, Model.self, taking: Arguments.self, scope) { arguments, container in
            HostedModel { try await make(container(), arguments.decode(Arguments.self)) }
        }
    }

    /// Registers a view model that its session's container makes with the client's `arguments`.
    ///
    /// ```swift
    /// registry.add("orders", OrdersViewModel.self)
    /// ```
    ///
    /// - Parameters:
    ///   - name: the name that clients pass to `session/open`. Registering a name twice stops the program.
    ///   - type: its `init(container:arguments:)` is called once for each session, off the main actor, unless another
    ///     way to make it is registered in the container. Arguments that don't fit are answered `InvalidParams`. Throw
    ///     `InvalidArgument` for a value that can't be taken; any other error is answered `ViewModelFailed`.
    ///   - scope: which session a client gets. For another one than `each`, the arguments must be `Codable`: otherwise the
    ///     program stops.
    public mutating func add<Model: HostableViewModel & PerRequest>(
        _ name: String, _ type: Model.Type, scope: SessionScope = .each
    ) where Model.Arguments: Decodable & Sendable, Model.HostedViewEvent: Decodable, Model.HostedEvent: Encodable {
        add(name, scope: scope) { (container, arguments: Model.Arguments) in
            try container.resolve(Model.self, arguments: arguments)
        }
    }

    /// Registers a view model without arguments that its session's container makes.
    ///
    /// - Parameters:
    ///   - name: the name that clients pass to `session/open`. Registering a name twice stops the program.
    ///   - type: its `init(container:arguments:)` is called once for each session, off the main actor, unless another
    ///     way to make it is registered in the container. Where it throws, `session/open` is answered
    ///     `ViewModelFailed`. A client's `arguments` may only be an empty object.
    ///   - scope: which session a client gets.
    public mutating func add<Model: HostableViewModel & PerRequest>(
        _ name: String, _ type: Model.Type, scope: SessionScope = .each
    ) where Model.Arguments == Void, Model.HostedViewEvent: Decodable, Model.HostedEvent: Encodable {
        add(name, scope: scope) { container in try container.resolve(Model.self) }
    }

    private mutating func insert<Model: HostableViewModel, Arguments: Decodable & SendableMetatype>(
        _ name: String, _ type: Model.Type, taking _: Arguments.Type, _ scope: SessionScope, make: Entry.Make?
    ) where Model.HostedViewEvent: Decodable, Model.HostedEvent: Encodable {
        precondition(
            scope == .each || FindingArguments<Arguments>.canFind, "\"\(name)\": \(NotEncodable<Arguments>())")
        insert(
            name, type, .decoded(Arguments.self), scope, finding: { try FindingArguments<Arguments>.text(of: $0) },
            make: make)
    }

    /// Registers a view model that other view models can push or present, and that no client can open.
    ///
    /// ```swift
    /// registry.addChild("confirmCancel", ConfirmCancelViewModel.self)
    /// ```
    ///
    /// A client that tries to open it is answered `UnknownViewModel`. So no client can open the question that a view
    /// model asks before it deletes something, and answer it without having been asked.
    ///
    /// - Parameters:
    ///   - name: the name that clients see when it is shown. Registering a name twice stops the program. A type that is
    ///     registered under several names is shown under the first.
    ///   - type: made by the container of the session that shows it. Its arguments may be of any type, since they come
    ///     from the view model that shows it. Its initializer is called on that view model's thread, and `push` or
    ///     `present` throws its error.
    public mutating func addChild<Model: HostableViewModel & PerRequest>(_ name: String, _ type: Model.Type)
    where Model.HostedViewEvent: Decodable, Model.HostedEvent: Encodable {
        insert(name, Model.self, .others, make: nil)
        insertScreen(name, Model.self)
    }

    /// Registers a view model that other view models can push or present, and that clients may open, too.
    ///
    /// ```swift
    /// registry.addChild("orderDetails", OrderDetailsViewModel.self, canBeOpened: true)
    /// ```
    ///
    /// - Parameters:
    ///   - name: the name that clients see when it is shown, and pass to `session/open`. Registering a name twice stops
    ///     the program. A type that is registered under several names is shown under the first.
    ///   - type: made as by `add(_:_:)` where a client opens it, and as by `addChild(_:_:)` where a view model shows
    ///     it.
    ///   - canBeOpened: where false, this does the same as `addChild(_:_:)`.
    public mutating func addChild<Model: HostableViewModel & PerRequest>(
        _ name: String, _ type: Model.Type, canBeOpened: Bool
    ) where Model.Arguments: Decodable & Sendable, Model.HostedViewEvent: Decodable, Model.HostedEvent: Encodable {
        guard canBeOpened else { return addChild(name, type) }
        add(name, type)
        insertScreen(name, Model.self)
    }

    /// Registers a view model without arguments that other view models can push or present, and that clients may open,
    /// too.
    ///
    /// - Parameters:
    ///   - name: the name that clients see when it is shown, and pass to `session/open`. Registering a name twice stops
    ///     the program. A type that is registered under several names is shown under the first.
    ///   - type: made as by `add(_:_:)` where a client opens it, and as by `addChild(_:_:)` where a view model shows
    ///     it.
    ///   - canBeOpened: where false, this does the same as `addChild(_:_:)`.
    public mutating func addChild<Model: HostableViewModel & PerRequest>(
        _ name: String, _ type: Model.Type, canBeOpened: Bool
    ) where Model.Arguments == Void, Model.HostedViewEvent: Decodable, Model.HostedEvent: Encodable {
        guard canBeOpened else { return addChild(name, type) }
        add(name, type)
        insertScreen(name, Model.self)
    }
}
