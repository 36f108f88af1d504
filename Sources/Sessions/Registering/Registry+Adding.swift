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
    ///   - name: what clients pass to `session/open`. Each name is added once; a second time stops the program.
    ///   - make: called once for each session, off the main actor; `async`, so that it can make a `@MainActor` view
    ///     model. An error is the answer to `session/open`.
    public mutating func add<Model: HostableViewModel>(
        _ name: String, make: @escaping @Sendable () async throws -> Model
    ) where Model.HostedViewEvent: Decodable, Model.HostedEvent: Encodable {
        insert(name, Model.self, .none) { value, path, _ throws(JSONCodingError) in
            _ = try Self.decode(NoArguments.self, from: value, at: path)
            return LoggingView(make: make)
        }
    }

    /// Registers a view model that is made with the client's `arguments`.
    ///
    /// ```swift
    /// registry.add("counter") { CounterViewModel(arguments: $0) }
    /// ```
    ///
    /// - Parameters:
    ///   - name: what clients pass to `session/open`. Each name is added once; a second time stops the program.
    ///   - make: called once for each session, off the main actor, with the decoded arguments; where the client gave
    ///     none, they are decoded from an empty object. Arguments that don't fit, and members that they don't have, are
    ///     answered `InvalidParams`, with the path of the member, and `make` isn't called. An error of `make` is the
    ///     answer to `session/open`: throw `InvalidArgument` for a value that can't be taken.
    public mutating func add<Model: HostableViewModel, Arguments: Decodable & Sendable>(
        _ name: String, make: @escaping @Sendable (Arguments) async throws -> Model
    ) where Model.HostedViewEvent: Decodable, Model.HostedEvent: Encodable {
        insert(name, Model.self, .decoded(Arguments.self)) { value, path, _ throws(JSONCodingError) in
            let arguments = try Self.decode(Arguments.self, from: value, at: path)
            return LoggingView { try await make(arguments) }
        }
    }

    /// Registers a view model that takes what it needs from its session's container.
    ///
    /// ```swift
    /// registry.add("stopwatch") { container in StopwatchViewModel(clock: try container.resolve()) }
    /// ```
    ///
    /// - Parameters:
    ///   - name: what clients pass to `session/open`. Each name is added once; a second time stops the program.
    ///   - make: called once for each session, off the main actor, with the container that the session shares with
    ///     everything pushed onto it or presented over it. An error is the answer to `session/open`.
    public mutating func add<Model: HostableViewModel>(
        _ name: String, make: @escaping @Sendable (Container) async throws -> Model
    ) where Model.HostedViewEvent: Decodable, Model.HostedEvent: Encodable {
        insert(name, Model.self, .none) { value, path, container throws(JSONCodingError) in
            _ = try Self.decode(NoArguments.self, from: value, at: path)
            return LoggingView { try await make(container()) }
        }
    }

    /// Registers a view model that takes what it needs from its session's container, and the client's `arguments`.
    ///
    /// ```swift
    /// registry.add("orders") { OrdersViewModel(container: $0, arguments: $1) }
    /// ```
    ///
    /// - Parameters:
    ///   - name: what clients pass to `session/open`. Each name is added once; a second time stops the program.
    ///   - make: called once for each session, off the main actor, with the session's container and the decoded
    ///     arguments; both are as for the other `add` functions.
    public mutating func add<Model: HostableViewModel, Arguments: Decodable & Sendable>(
        _ name: String, make: @escaping @Sendable (Container, Arguments) async throws -> Model
    ) where Model.HostedViewEvent: Decodable, Model.HostedEvent: Encodable {
        insert(name, Model.self, .decoded(Arguments.self)) { value, path, container throws(JSONCodingError) in
            let arguments = try Self.decode(Arguments.self, from: value, at: path)
            return LoggingView { try await make(container(), arguments) }
        }
    }

    /// Registers a view model that its session's container makes with the client's `arguments`.
    ///
    /// ```swift
    /// registry.add("orders", OrdersViewModel.self)
    /// ```
    ///
    /// - Parameters:
    ///   - name: what clients pass to `session/open`. Each name is added once; a second time stops the program.
    ///   - type: its `init(container:arguments:)` is called once for each session, off the main actor, unless the
    ///     container has another way to make it. An error is the answer to `session/open`.
    public mutating func add<Model: HostableViewModel & PerRequest>(_ name: String, _ type: Model.Type)
    where Model.Arguments: Decodable & Sendable, Model.HostedViewEvent: Decodable, Model.HostedEvent: Encodable {
        add(name) { (container, arguments: Model.Arguments) in try container.resolve(Model.self, arguments: arguments) }
    }

    /// Registers a view model that its session's container makes, without arguments.
    ///
    /// - Parameters:
    ///   - name: as for a type with arguments.
    ///   - type: as for a type with arguments; a client's `arguments` may only be an empty object.
    public mutating func add<Model: HostableViewModel & PerRequest>(_ name: String, _ type: Model.Type)
    where Model.Arguments == Void, Model.HostedViewEvent: Decodable, Model.HostedEvent: Encodable {
        add(name) { container in try container.resolve(Model.self) }
    }

    /// Registers a view model that other view models can push or present, and no client can open.
    ///
    /// ```swift
    /// registry.addChild("confirmCancel", ConfirmCancelViewModel.self)
    /// ```
    ///
    /// A client that opens it nevertheless is answered `UnknownViewModel`. So a question that a view model asks before
    /// it deletes something can't be answered by a client that nobody has asked.
    ///
    /// - Parameters:
    ///   - name: the name that clients see when it is shown. Each name is added once; a second time stops the program.
    ///     A type that has several names is shown by its first.
    ///   - type: made by the container of the session that shows it, with any arguments: they come from the view model
    ///     that shows it, on whose thread its initializer is called, and which gets its error.
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
    ///   - name: what clients see when it is shown, and pass to `session/open`. Otherwise as for a child that can't be
    ///     opened.
    ///   - type: as for `add(_:_:)` where a client opens it.
    ///   - canBeOpened: false for the same as without it.
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
    ///   - name: as for a type with arguments.
    ///   - type: as for `add(_:_:)` where a client opens it.
    ///   - canBeOpened: false for the same as without it.
    public mutating func addChild<Model: HostableViewModel & PerRequest>(
        _ name: String, _ type: Model.Type, canBeOpened: Bool
    ) where Model.Arguments == Void, Model.HostedViewEvent: Decodable, Model.HostedEvent: Encodable {
        guard canBeOpened else { return addChild(name, type) }
        add(name, type)
        insertScreen(name, Model.self)
    }

    private static func decode<T: Decodable>(
        _ type: T.Type, from value: JSONValue?, at path: JSONPointer
    ) throws(JSONCodingError) -> T {
        guard let value = value ?? emptyObject() else { throw JSONCodingError(path: path, reason: "missing") }
        return try ValueDecoder().decodeStrictly(type, from: value, at: path)
    }

    /// An object without members.
    private struct NoArguments: Decodable {
        private enum Key: CodingKey {}

        init(from decoder: any Decoder) throws { _ = try decoder.container(keyedBy: Key.self) }
    }

    /// Borrows memory that lives as long as the process.
    private static func emptyObject() -> JSONValue? {
        let text: StaticString = "{}"
        return try? JSONValue(validating: UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }
}
