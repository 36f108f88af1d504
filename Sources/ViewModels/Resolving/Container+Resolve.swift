extension Container {
    /// A new `T`, made on the calling thread.
    ///
    /// - Throws: `ContainerError`, or what making it throws.
    public func resolve<T: PerRequest>(_ type: T.Type = T.self, arguments: T.Arguments) throws -> T {
        let registered: Registered<T, T.Arguments>? = try live().registered()
        return try Making.step(making: T.self) { _ in
            guard let factory = registered?.factory else { return try T(container: self, arguments: arguments) }
            return try factory.make(self, arguments)
        }
    }

    /// A new `T` that takes no arguments, made on the calling thread.
    ///
    /// - Throws: `ContainerError`, or what making it throws.
    public func resolve<T: PerRequest>(_ type: T.Type = T.self) throws -> T where T.Arguments == Void {
        try resolve(T.self, arguments: ())
    }

    /// The one `T`, made on the calling thread where nobody asked before. Who asks while another thread makes it waits
    /// for that.
    ///
    /// - Throws: `ContainerError`, or what making it throws; then none is kept, and whoever asks next tries again.
    public func resolve<T: Singleton>(_ type: T.Type = T.self) throws -> T {
        let storage = try live()
        let registered: Registered<T, Void>? = try storage.registered()
        let keeper =
            switch T.scope {
            case .session: storage
            case .process: try registered?.storage ?? storage.outermost()
            }
        return try keeper.one(registered?.factory) { container in
            guard let factory = registered?.factory else { return try T(container: container, arguments: ()) }
            return try factory.make(container, ())
        }
    }

    // These two are disfavoured: where a `Settings?` is wanted, the compiler must look for the singleton `Settings` and
    // not for something that was registered as `Settings?`.

    /// The one `T` of the nearest container that it was registered in, made on the calling thread where nobody asked
    /// before. Who asks while another thread makes it waits for that.
    ///
    /// - Throws: `ContainerError`, or what making it throws; then none is kept, and whoever asks next tries again.
    @_disfavoredOverload
    public func resolve<T: Sendable>(_ type: T.Type = T.self) throws -> T {
        let registered: Registered<T, Void>? = try live().registered()
        guard let registered else { throw ContainerError.notRegistered("\(T.self)") }
        return try registered.storage.one(registered.factory) { try registered.factory.make($0, ()) }
    }

    /// The same where an optional is wanted, as in `let provider: (any OrdersProvider)? = try? container.resolve()`;
    /// never nil.
    @_disfavoredOverload
    public func resolve<T: Sendable>() throws -> T? {
        try resolve(T.self)
    }

    private func live() throws(ContainerError) -> ContainerStorage {
        guard let storage else { throw .ended }
        return storage
    }
}
