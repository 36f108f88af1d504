package import JSON
public import ViewModels

/// The view models that clients can open, by name.
///
/// ```swift
/// registry.add("hello") { HelloViewModel() }
/// registry.add("counter") { CounterViewModel(arguments: $0) }
/// ```
public struct Registry: Sendable {
    private struct Entry: Sendable {
        let make: @Sendable (JSONValue?, JSONPointer) throws(JSONCodingError) -> any ModelHost
        let viewEvent: any Any.Type
        let viewModelEvent: any Any.Type
    }

    private var entries: [String: Entry] = [:]

    /// A registry that knows no view model.
    public init() {}

    /// Registers a view model that takes no arguments.
    ///
    /// Its event types travel as flat JSON objects with a `kind`, by their own `Codable` conformance; for an enum the
    /// compiler's is the right one.
    ///
    /// - Parameters:
    ///   - name: what clients pass to `session/open`; each name once.
    ///   - make: called once for each session, off the main actor; `async`, so it can make a `@MainActor` view model. An
    ///     error is the answer to `session/open`.
    public mutating func add<Model: ViewModel>(_ name: String, make: @escaping @Sendable () async throws -> Model)
    where Model.ViewEvent: Decodable, Model.ViewModelEvent: Encodable {
        insert(name, Model.self) { _, _ in
            HostedView { try await AnyViewModel(make()) }
        }
    }

    /// Registers a view model that is made with the client's `arguments`.
    ///
    /// They are decoded before `make` is called; without any, from an empty object. What doesn't fit is refused as
    /// `InvalidParams`, with the path of the member.
    public mutating func add<Model: ViewModel, Arguments: Decodable & Sendable>(
        _ name: String,
        make: @escaping @Sendable (Arguments) async throws -> Model
    ) where Model.ViewEvent: Decodable, Model.ViewModelEvent: Encodable {
        insert(name, Model.self) { value, path throws(JSONCodingError) in
            let arguments = try Self.decode(Arguments.self, from: value, at: path)
            return HostedView { try await AnyViewModel(make(arguments)) }
        }
    }

    /// The registered names in alphabetical order.
    package var names: [String] { entries.keys.sorted() }

    /// What hosts a view model of this name; nil when there is none.
    package func host(
        _ name: String, arguments: JSONValue?, at path: JSONPointer
    ) throws(JSONCodingError) -> (any ModelHost)? {
        guard let entry = entries[name] else { return nil }
        return try entry.make(arguments, path)
    }

    /// The kinds of events that a view model of this name takes and sends, each nil where they can't be known.
    package func kinds(of name: String) -> (viewEvents: [String]?, viewModelEvents: [String]?) {
        guard let entry = entries[name] else { return (nil, nil) }
        return (EventKinds.of(entry.viewEvent), EventKinds.of(entry.viewModelEvent))
    }

    private mutating func insert<Model: ViewModel>(
        _ name: String, _ type: Model.Type,
        _ make: @escaping @Sendable (JSONValue?, JSONPointer) throws(JSONCodingError) -> any ModelHost
    ) {
        precondition(entries[name] == nil, "two view models are registered as \"\(name)\"")
        entries[name] = Entry(make: make, viewEvent: Model.ViewEvent.self, viewModelEvent: Model.ViewModelEvent.self)
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
