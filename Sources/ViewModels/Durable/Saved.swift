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
            /// Called before each change, with the lock held.
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

    /// Rises with each value that is set.
    package var changeCount: Int { storage.state.withLock { $0.changeCount } }
}

/// An object that the view models of a session share, and whose saved properties outlive the process.
///
/// `Saved` has an example. The properties have their saved values before any view model gets the object. What has
/// changed of them is stored together with each turn of a view model of the session.
///
/// Its scope is the session: of an object of the whole process nothing can be stored, so a server refuses one.
///
/// **Names.** The properties are stored under the type's name, without its module: so a type may move to another module.
/// One that gets another name, or another type around it, says what it was called: `static let savedName = "Basket"`.
public protocol DurableSingleton: Singleton {
    /// The name that its properties are stored under: that of its type, with the types around it and without its module,
    /// unless implemented.
    static var savedName: String { get }
}

extension DurableSingleton {
    /// The session.
    public static var scope: SingletonScope { .session }

    /// `Basket` of `Shop.Basket`, and `Cart.Basket` of `Shop.Cart.Basket`.
    public static var savedName: String { TypeNames.withoutModules(TypeNames.qualified(Self.self)) }
}

/// A stored property whose value is saved: `@Saved`, `@Observed` and `Dynamic`.
package protocol SavedProperty: Sendable {
    associatedtype Value: Sendable

    /// It is a property wrapper, so that reflection finds it by the name of the wrapper's storage.
    static var isWrapper: Bool { get }

    var savedValue: Value { get nonmutating set }

    /// Rises with each value that is set.
    var changeCount: Int { get }

    /// - Parameter willChange: called from now on before each change, on the thread that makes it and with the property's lock
    ///   held.
    /// - Returns: false where it is never called.
    func watch(_ willChange: @escaping @Sendable () -> Void) -> Bool
}

extension SavedProperty {
    /// False.
    package func watch(_ willChange: @escaping @Sendable () -> Void) -> Bool { false }
}

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

/// A saved property of an object, with its name in the store.
package struct NamedSavedProperty: Sendable {
    package let name: String
    package let property: any SavedProperty

    /// All saved properties of an object: superclasses first, and in order of declaration. Called in its isolation,
    /// since reflection reads every stored property.
    ///
    /// - Throws: `SavedPropertyError`, where a property isn't `Codable`, or two have the same name.
    package static func all(of object: any AnyObject) throws -> [NamedSavedProperty] {
        var mirrors: [Mirror] = []
        var next: Mirror? = Mirror(reflecting: object)
        while let mirror = next {
            mirrors.append(mirror)
            next = mirror.superclassMirror
        }
        var found: [NamedSavedProperty] = []
        for (label, value) in mirrors.reversed().flatMap(\.children) {
            guard let label else { continue }
            guard let property = value as? any SavedProperty else {
                if let rows = value as? any HostedRows, rows.isKept {
                    throw SavedPropertyError(
                        description: "the rows of '\(label)' of \(type(of: object)) can't be saved, since "
                            + "\(type(of: rows).rowType) isn't Codable")
                }
                continue
            }
            let named = try NamedSavedProperty(property, label: label, of: "\(type(of: object))")
            guard !found.contains(where: { $0.name == named.name }) else {
                throw SavedPropertyError(
                    description: "\(type(of: object)) and its superclasses have two properties '\(named.name)'")
            }
            found.append(named)
        }
        return found
    }

    private init<Property: SavedProperty>(_ property: Property, label: String, of owner: String) throws {
        name = PropertyName.of(label: label, isWrapper: Property.isWrapper)
        self.property = property
        guard Property.Value.self is any Codable.Type else {
            throw SavedPropertyError(
                description: "'\(name)' of \(owner) can't be saved, since \(Property.Value.self) isn't Codable")
        }
    }
}

/// Why the properties of a `DurableViewModel` can't be saved.
package struct SavedPropertyError: Error, CustomStringConvertible {
    package let description: String

    package init(description: String) {
        self.description = description
    }
}
