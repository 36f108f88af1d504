public import Synchronization

/// A stored property of a `DurableViewModel` whose value is there again in the session's next life.
///
/// `DurableViewModel` has an example. The property is read and set in the isolation of its actor or `@MainActor` class.
/// Its changes aren't sent to Views. An `@Observed` property is saved, too, and its changes are sent.
///
/// A `Sendable` class can't have a stored `var`. There it is a constant, which any thread may use:
///
/// ```swift
/// final class Basket: DurableSingleton {
///     private let ids = Saved<Set<Int>>([])
///
///     init(container: Container, arguments: Void) {}
///
///     func add(_ id: Int) -> Bool { ids.update { $0.insert(id).inserted } }
/// }
/// ```
@propertyWrapper
public struct Saved<Value: Codable & Sendable>: Sendable {
    // Inlinable, so that a property is as fast as its type: else the runtime looks up generic types for each access
    // (benchmark: stdio, 1 in flight).
    @usableFromInline
    final class Storage: Sendable {
        @usableFromInline
        struct State: Sendable {
            @usableFromInline var value: Value
            @usableFromInline var changeCount = 0
            /// The function that is called before each change, with the lock held.
            @usableFromInline var willChange: (@Sendable () -> Void)?

            @usableFromInline
            init(value: Value) { self.value = value }
        }

        @usableFromInline let state: Mutex<State>

        @usableFromInline
        init(_ value: Value) { state = Mutex(State(value: value)) }
    }

    @usableFromInline let storage: Storage

    /// A property with a first value. In a later life of the session the saved value takes its place.
    public init(wrappedValue: Value) {
        storage = Storage(wrappedValue)
    }

    /// A constant with a first value. In a later life of the session the saved value takes its place.
    public init(_ value: Value) {
        self.init(wrappedValue: value)
    }

    /// Changes the value in place, while no other thread does.
    ///
    /// - Parameter body: changes the value. It must not use this property, whose lock is held meanwhile.
    /// - Throws: the error of `body`; the value is then as `body` left it.
    @inlinable
    public func update<Result: Sendable, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try storage.state.withLock { state throws(Failure) in
            state.willChange?()
            state.changeCount += 1
            return try body(&state.value)
        }
    }

    /// The value. Once it is set it is saved with the next turn, even where it equals the one before.
    @inlinable
    public var wrappedValue: Value {
        get { storage.state.withLock { $0.value } }
        nonmutating set {
            // The old value is released with no lock held: its end may set this very value.
            let old = storage.state.withLock { state in
                state.willChange?()
                defer {
                    state.value = newValue
                    state.changeCount += 1
                }
                return state.value
            }
            withExtendedLifetime(old) {}
        }
    }

    /// A number that rises with each value that is set.
    package var changeCount: Int { storage.state.withLock { $0.changeCount } }
}

/// A stored property whose value is saved: `@Saved`, `@Observed` and `Dynamic`.
package protocol SavedProperty: Sendable {
    associatedtype Value: Sendable

    /// Whether this type is a property wrapper. Reflection finds such a property by the name of the wrapper's storage.
    static var isWrapper: Bool { get }

    var savedValue: Value { get nonmutating set }

    /// A number that rises with each value that is set.
    var changeCount: Int { get }

    /// Has each change of the property announced.
    ///
    /// - Parameter willChange: called from now on before each change, on the thread that makes it and with the property's lock
    ///   held.
    /// - Returns: false where `willChange` is never called.
    func watch(_ willChange: @escaping @Sendable () -> Void) -> Bool
}

extension SavedProperty {
    /// Returns false, and watches nothing.
    package func watch(_ willChange: @escaping @Sendable () -> Void) -> Bool { false }
}

/// A property that is only saved, and not sent to Views: `Saved`.
package protocol OnlySaved {}

extension Saved: OnlySaved {}

extension Saved: SavedProperty {
    package static var isWrapper: Bool { true }

    package var savedValue: Value {
        get { wrappedValue }
        nonmutating set { wrappedValue = newValue }
    }

    package func watch(_ willChange: @escaping @Sendable () -> Void) -> Bool {
        storage.state.withLock { $0.willChange = willChange }
        return true
    }
}

extension Observed: SavedProperty {
    package var savedValue: Value {
        get { wrappedValue }
        nonmutating set { wrappedValue = newValue }
    }

    package var changeCount: Int { current.changed.output.sentCount }
}

extension Dynamic: SavedProperty {
    package var savedValue: Value {
        get { value }
        set { value = newValue }
    }

    package var changeCount: Int { current.changed.output.sentCount }
}

extension Rows: SavedProperty where Element: Codable {
    package static var isWrapper: Bool { false }

    package var savedValue: SavedRows<Element> {
        get { state.withLock { state in state.kept.map { .kept($0.all) } ?? .made(count: state.count) } }
        set {
            var value = newValue
            if case .made(let count) = value { value = .made(count: Self.possible(count)) }
            edit { $0.restore(value) }
        }
    }

    package var changeCount: Int { state.withLock { $0.version } }
}

/// A list as it is saved: an array of the rows, or how many there are where they are made on demand.
package enum SavedRows<Element: Codable & Sendable>: Codable, Sendable {
    case kept([Element])
    case made(count: Int)

    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let count = try? container.decode(Int.self) {
            self = .made(count: count)
        } else {
            self = .kept(try container.decode([Element].self))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .kept(let rows): try container.encode(rows)
        case .made(let count): try container.encode(count)
        }
    }
}

/// A `SavedRows` of any type of rows, for contracts.
package protocol SavedRowsForm {
    static var rowType: any (Codable & Sendable).Type { get }
}

extension SavedRows: SavedRowsForm {
    package static var rowType: any (Codable & Sendable).Type { Element.self }
}
