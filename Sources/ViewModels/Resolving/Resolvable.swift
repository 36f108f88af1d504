/// A type that a container can make: it takes its dependencies from the container and the rest as arguments.
///
/// A conforming type is `PerRequest` or a `Singleton`.
public protocol Resolvable: Sendable {
    /// The values that the caller of `resolve` gives; `Void` where there are none. `Sendable`, so that an actor can
    /// keep them.
    associatedtype Arguments: Sendable

    /// Called by the container, on the thread that asks. In a `@MainActor` class it is therefore a `nonisolated init`.
    ///
    /// - Parameters:
    ///   - container: has the dependencies.
    ///   - arguments: given by the caller of `resolve`.
    /// - Throws: why it can't be made, which `resolve` throws; most often the error of a `resolve` inside.
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

/// A type of which there is one for everybody who asks: a container makes it once and keeps it.
///
/// ```swift
/// final class Basket: Singleton {
///     static let scope = SingletonScope.session
///
///     init(container: Container, arguments: Void) {}
/// }
/// ```
public protocol Singleton: Resolvable, AnyObject where Arguments == Void {
    /// The extent in which it is shared. Unless implemented, the whole process.
    static var scope: SingletonScope { get }
}

extension Singleton {
    /// The whole process.
    public static var scope: SingletonScope { .process }
}

/// The extent in which a `Singleton`, which has an example, is shared.
public enum SingletonScope: Sendable {
    /// The whole process: the outermost container keeps it.
    case process
    /// One session that a client opened, with everything pushed onto it and presented over it: the session's container
    /// keeps it.
    case session
}
