extension Container {
    /// Has each `T` made by `make` instead of its own initializer, in this container and those inside it.
    ///
    /// - Parameter make: called on the thread that asks, with the container that was asked. What it throws is the error
    ///   of `resolve`. It must not capture this container, which would then keep itself alive.
    public func register<T: PerRequest>(
        _ type: T.Type = T.self, make: @escaping @Sendable (Container, T.Arguments) throws -> T
    ) {
        storage?.register(Factory<T, T.Arguments>(make))
    }

    /// Has the one `T` made by `make` instead of its own initializer, in this container and those inside it.
    ///
    /// One with the scope `process` is then kept in this container; one with the scope `session` in each session's. Who
    /// asked before keeps what it got; whoever asks from now on gets a new one.
    ///
    /// - Parameter make: called once, on the thread that asks first, with the container that keeps the result. What it
    ///   throws is the error of `resolve`, and the next to ask calls it again. It must not capture this container,
    ///   which would then keep itself alive.
    public func register<T: Singleton>(_ type: T.Type = T.self, make: @escaping @Sendable (Container) throws -> T) {
        storage?.register(Factory<T, Void> { container, _ in try make(container) })
    }

    /// Says how to make the one `T`, of a type that can't say so itself, such as `(any OrdersProvider).self`. This
    /// container keeps it, for itself and those inside it.
    ///
    /// Who asked before keeps what it got; whoever asks from now on gets a new one.
    ///
    /// - Parameter make: called once, on the thread that asks first, with this container. What it throws is the error
    ///   of `resolve`, and the next to ask calls it again. It must not capture this container, which would then keep
    ///   itself alive.
    public func register<T: Sendable>(_ type: T.Type = T.self, make: @escaping @Sendable (Container) throws -> T) {
        storage?.register(Factory<T, Void> { container, _ in try make(container) })
    }
}
