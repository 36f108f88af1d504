/// A type that a container can make: it takes its dependencies from the container and the rest as arguments.
///
/// A conforming type is `PerRequest` or a `Singleton`.
public protocol Resolvable: Sendable {
    /// The values that the caller of `resolve` gives; `Void` where there are none. `Sendable`, so that an actor can
    /// keep them.
    associatedtype Arguments: Sendable

    /// Makes the object. Called by the container, on the thread that asks. In a `@MainActor` class it is therefore a
    /// `nonisolated init`.
    ///
    /// - Parameters:
    ///   - container: has the dependencies.
    ///   - arguments: given by the caller of `resolve`.
    /// - Throws: an error, where it can't be made, mostly that of a `resolve` inside. The outer `resolve` throws it.
    init(container: Container, arguments: Arguments) throws
}

/// A type of which each request makes a new one, such as a view model.
///
/// ```swift
/// actor OrderDetailsViewModel: ViewModel, PerRequest {
///     init(container: Container, arguments order: Order) throws {
///         self.order = order
///         presenter = try container.resolve()
///     }
/// }
/// ```
public protocol PerRequest: Resolvable {}

/// A type of which a container makes one object, and keeps it for all who ask.
///
/// ```swift
/// final class Basket: Singleton {
///     static let scope = SingletonScope.session
///
///     init(container: Container, arguments: Void) {}
/// }
/// ```
public protocol Singleton: Resolvable, AnyObject where Arguments == Void {
    /// How far the object is shared: in the whole process, unless implemented, or in one session.
    static var scope: SingletonScope { get }
}

extension Singleton {
    /// The whole process.
    public static var scope: SingletonScope { .process }
}

/// How far a `Singleton` is shared. `Singleton` has an example.
public enum SingletonScope: Sendable {
    /// The whole process: the outermost container keeps it.
    case process
    /// One session that a client opened, with everything pushed onto it and presented over it: the session's container
    /// keeps it.
    case session
}
