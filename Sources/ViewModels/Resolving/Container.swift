/// Makes what view models depend on, by type.
public struct Container: Sendable {
    /// The outermost container.
    public init() {}

    /// A container inside another one: what it doesn't keep or make by itself is the other's.
    public init(in parent: Container) {}

    /// Makes a `T` from here on by `make` instead of its own initializer.
    public func register<T: PerRequest>(
        _ type: T.Type = T.self, make: @escaping @Sendable (Container, T.Arguments) throws -> T
    ) {}

    /// Makes the one `T` by `make` instead of its own initializer.
    public func register<T: Singleton>(_ type: T.Type = T.self, make: @escaping @Sendable (Container) throws -> T) {}

    /// Says how to make the one `T`, of a type that can't say so itself, such as `(any OrdersProvider).self`.
    public func register<T: Sendable>(_ type: T.Type = T.self, make: @escaping @Sendable (Container) throws -> T) {}

    /// A new `T`.
    public func resolve<T: PerRequest>(_ type: T.Type = T.self, arguments: T.Arguments) throws -> T {
        try T(container: self, arguments: arguments)
    }

    /// A new `T`.
    public func resolve<T: PerRequest>(_ type: T.Type = T.self) throws -> T where T.Arguments == Void {
        try T(container: self, arguments: ())
    }

    /// The one `T`.
    public func resolve<T: Singleton>(_ type: T.Type = T.self) throws -> T {
        try T(container: self, arguments: ())
    }

    /// What was registered for `T`.
    public func resolve<T: Sendable>(_ type: T.Type = T.self) throws -> T {
        throw ContainerError.notRegistered("\(T.self)")
    }
}
