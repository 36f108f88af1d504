import JSON
public import ViewModels

extension Registry {
    /// Registers a view model that takes no arguments.
    ///
    /// - Parameters:
    ///   - name: what clients pass to `session/open`; each name once.
    ///   - make: called once for each session, off the main actor; `async`, so it can make a `@MainActor` view model. An
    ///     error is the answer to `session/open`.
    public mutating func add<Model: HostableViewModel>(
        _ name: String, make: @escaping @Sendable () async throws -> Model
    ) where Model.HostedViewEvent: Decodable, Model.HostedEvent: Encodable {
        insert(name, Model.self, .none) { _, _, _ in HostedView(make: make) }
    }

    /// Registers a view model that is made with the client's `arguments`.
    ///
    /// They are decoded before `make` is called; without any, from an empty object. What doesn't fit is refused as
    /// `InvalidParams`, with the path of the member.
    public mutating func add<Model: HostableViewModel, Arguments: Decodable & Sendable>(
        _ name: String, make: @escaping @Sendable (Arguments) async throws -> Model
    ) where Model.HostedViewEvent: Decodable, Model.HostedEvent: Encodable {
        insert(name, Model.self, .decoded(Arguments.self)) { value, path, _ throws(JSONCodingError) in
            let arguments = try Self.decode(Arguments.self, from: value, at: path)
            return HostedView { try await make(arguments) }
        }
    }

    /// Registers a view model that takes what it needs from its session's container.
    public mutating func add<Model: HostableViewModel>(
        _ name: String, make: @escaping @Sendable (Container) async throws -> Model
    ) where Model.HostedViewEvent: Decodable, Model.HostedEvent: Encodable {
        insert(name, Model.self, .none) { _, _, container in HostedView { try await make(container()) } }
    }

    /// Registers a view model that takes what it needs from its session's container, and the client's `arguments`.
    public mutating func add<Model: HostableViewModel, Arguments: Decodable & Sendable>(
        _ name: String, make: @escaping @Sendable (Container, Arguments) async throws -> Model
    ) where Model.HostedViewEvent: Decodable, Model.HostedEvent: Encodable {
        insert(name, Model.self, .decoded(Arguments.self)) { value, path, container throws(JSONCodingError) in
            let arguments = try Self.decode(Arguments.self, from: value, at: path)
            return HostedView { try await make(container(), arguments) }
        }
    }

    /// Registers a view model that its session's container makes with the client's `arguments`. Others can show it, too.
    public mutating func add<Model: HostableViewModel & PerRequest>(_ name: String, _ type: Model.Type)
    where Model.Arguments: Decodable & Sendable, Model.HostedViewEvent: Decodable, Model.HostedEvent: Encodable {
        add(name) { (container, arguments: Model.Arguments) in try container.resolve(Model.self, arguments: arguments) }
    }

    /// Registers a view model that its session's container makes, without arguments. Others can show it, too.
    public mutating func add<Model: HostableViewModel & PerRequest>(_ name: String, _ type: Model.Type)
    where Model.Arguments == Void, Model.HostedViewEvent: Decodable, Model.HostedEvent: Encodable {
        add(name) { container in try container.resolve(Model.self) }
    }

    /// Registers a view model that only others can show, since no client can give its arguments: they aren't `Decodable`. A
    /// client that opens it nevertheless is told so.
    public mutating func add<Model: HostableViewModel & PerRequest>(_ name: String, _ type: Model.Type)
    where Model.HostedViewEvent: Decodable, Model.HostedEvent: Encodable {
        insert(name, Model.self, .undecodable, make: nil)
    }

    private static func decode<T: Decodable>(
        _ type: T.Type, from value: JSONValue?, at path: JSONPointer
    ) throws(JSONCodingError) -> T {
        guard let value = value ?? emptyObject() else { throw JSONCodingError(path: path, reason: "missing") }
        return try ValueDecoder().decode(type, from: value, at: path)
    }

    /// Borrows memory that lives as long as the process.
    private static func emptyObject() -> JSONValue? {
        let text: StaticString = "{}"
        return try? JSONValue(validating: UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }
}
