/// Makes the dependencies of view models, by the type that is wanted, and keeps singletons.
///
/// ```swift
/// let container = Container()
/// container.register((any OrdersProvider).self) { try SampleOrdersProvider(clock: $0.resolve()) }
///
/// let orders: OrdersViewModel = try container.resolve()
/// let details: OrderDetailsViewModel = try container.resolve(arguments: order)
/// ```
///
/// **Nesting.** The process has one container. Each session that a client opens has one inside it, shared with
/// everything that is pushed or presented on that session. A registration applies to its container and to those inside
/// it, and the nearest one counts. So a session or a test can replace one dependency and leave the rest as it is.
///
/// **Time.** A view model that sleeps or measures time takes its clock from the container too. It is a
/// `ContinuousClock` unless the outermost container is given another: a test gives its own, and so does the replay of
/// a transcript.
///
/// ```swift
/// actor ReminderViewModel: ViewModel, PerRequest {
///     private let clock: any Clock<Duration>
///
///     init(container: Container, arguments: Void) throws {
///         clock = try container.resolve()
///     }
///
///     func handle(event: ViewEvent) async throws {
///         try await clock.sleep(for: .seconds(60))
///         output.send(.reminder)
///     }
/// }
///
/// let model: ReminderViewModel = try Container(clock: testClock).resolve()
/// ```
///
/// **Lifetime.** A `Container` is a handle, and its copies are the same container. The container lives as long as a
/// handle that keeps it: the one that `init` returns, and its copies, such as a view model's. Singletons are given a
/// handle that doesn't keep the container, since the container keeps them. When the container is gone, such a handle
/// throws `ContainerError.ended`.
///
/// **Threads.** Any task or thread may call it, even concurrently, and inside an initializer or `make`. Where one
/// thread makes a singleton, others that ask for it wait. So don't wait for other threads while making one.
public struct Container: Sendable {
    weak var storage: ContainerStorage?
    /// The storage, kept alive; nil in a handle for the objects that the container keeps.
    private let owned: ContainerStorage?

    /// The outermost container, such as that of the process.
    ///
    /// - Parameter clock: the `any Clock<Duration>` that this container and those inside it resolve.
    public init(clock: any Clock<Duration> = ContinuousClock()) {
        self.init(owning: ContainerStorage(inside: nil))
        register((any Clock<Duration>).self) { _ in clock }
    }

    /// A container inside another one, such as that of a session.
    ///
    /// - Parameter parent: asked for everything that the new container doesn't have. The new container keeps it alive,
    ///   unless `parent` is a handle that doesn't keep its container (see Lifetime).
    public init(in parent: Container) {
        self.init(owning: ContainerStorage(inside: parent))
    }

    private init(owning storage: ContainerStorage) {
        self.storage = storage
        owned = storage
    }

    /// Has each durable singleton announced.
    ///
    /// - Parameter willKeep: given each durable singleton that this container makes, before anybody else gets it.
    package func watchSingletons(_ willKeep: @escaping @Sendable (any DurableSingleton) throws -> Void) {
        storage?.watchSingletons(willKeep)
    }

    /// A handle that doesn't keep the container alive.
    init(borrowing storage: ContainerStorage) {
        self.storage = storage
        owned = nil
    }
}

extension Container {
    /// Registers `make` as the way to make each `T`, in place of its own initializer, for this container and those
    /// inside it.
    ///
    /// - Parameters:
    ///   - type: a type of which each request makes a new one. Registering it again replaces `make`.
    ///   - make: called on the thread that asks, with the container that was asked. Its error is thrown by `resolve`.
    ///     It must not capture this container, which would then keep itself alive.
    public func register<T: PerRequest>(
        _ type: T.Type = T.self, make: @escaping @Sendable (Container, T.Arguments) throws -> T
    ) {
        storage?.register(Factory<T, T.Arguments>(make))
    }

    /// Registers `make` as the way to make the one `T`, in place of its own initializer, for this container and those
    /// inside it.
    ///
    /// This container keeps a singleton whose scope is `process`. One whose scope is `session` is kept by each
    /// container that is asked for it.
    ///
    /// - Parameters:
    ///   - type: a singleton. Registering it again replaces `make`: later callers get a new object, earlier ones keep
    ///     theirs.
    ///   - make: called once, on the thread that asks first, with the container that keeps the result. Its error is
    ///     thrown by `resolve`, and the next `resolve` tries again. It must not capture this container, which
    ///     would then keep itself alive.
    public func register<T: Singleton>(_ type: T.Type = T.self, make: @escaping @Sendable (Container) throws -> T) {
        storage?.register(Factory<T, Void> { container, _ in try make(container) })
    }

    /// Registers `make` as the way to make the one `T`, for a type that can't make itself, such as a protocol.
    ///
    /// This container keeps the object, for itself and for those inside it.
    ///
    /// - Parameters:
    ///   - type: neither `PerRequest` nor `Singleton`. Registering it again replaces `make`: later callers get a new
    ///     object, earlier ones keep theirs.
    ///   - make: called once, on the thread that asks first, with this container. Its error is thrown by `resolve`,
    ///     and the next `resolve` tries again. It must not capture this container, which would then keep
    ///     itself alive.
    public func register<T: Sendable>(_ type: T.Type = T.self, make: @escaping @Sendable (Container) throws -> T) {
        storage?.register(Factory<T, Void> { container, _ in try make(container) })
    }
}

extension Container {
    /// Makes a new `T`, on the calling thread.
    ///
    /// - Parameters:
    ///   - type: taken from the context unless it is given.
    ///   - arguments: handed to the initializer of `T`, or to the closure that was registered for it.
    /// - Throws: the error of making it; `ContainerError.cycle` or `.tooDeep` where it needs itself;
    ///   `ContainerError.ended` where the container is gone.
    public func resolve<T: PerRequest>(_ type: T.Type = T.self, arguments: T.Arguments) throws -> T {
        let registered: Registered<T, T.Arguments>? = try live().registered()
        return try Making.step(making: T.self) { _ in
            guard let factory = registered?.factory else { return try T(container: self, arguments: arguments) }
            return try factory.make(self, arguments)
        }
    }

    /// Makes a new `T` that takes no arguments, on the calling thread.
    ///
    /// - Parameter type: taken from the context unless it is given.
    /// - Throws: the error of making it; `ContainerError.cycle` or `.tooDeep` where it needs itself;
    ///   `ContainerError.ended` where the container is gone.
    public func resolve<T: PerRequest>(_ type: T.Type = T.self) throws -> T where T.Arguments == Void {
        try resolve(T.self, arguments: ())
    }

    /// The one `T`, made on the calling thread by the first call. A call while another thread makes it waits for that.
    ///
    /// - Parameter type: taken from the context unless it is given.
    /// - Throws: the error of making it; then none is kept, and the next call tries again. `ContainerError.cycle` or
    ///   `.tooDeep` where it needs itself. `ContainerError.ended` where the container is gone.
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

    /// The one `T` of the nearest container that it was registered in, made on the calling thread by the first call. A
    /// call while another thread makes it waits for that.
    ///
    /// - Parameter type: taken from the context unless it is given.
    /// - Throws: `ContainerError.notRegistered` where `T` is registered neither here nor further out. The error of
    ///   making it; then none is kept, and the next call tries again. `ContainerError.cycle` or `.tooDeep` where it
    ///   needs itself. `ContainerError.ended` where the container is gone.
    @_disfavoredOverload
    public func resolve<T: Sendable>(_ type: T.Type = T.self) throws -> T {
        let registered: Registered<T, Void>? = try live().registered()
        guard let registered else { throw ContainerError.notRegistered("\(T.self)") }
        return try registered.storage.one(registered.factory) { try registered.factory.make($0, ()) }
    }

    /// The one `T` where an optional is wanted, as in `let provider: (any OrdersProvider)? = try? container.resolve()`.
    ///
    /// - Returns: never nil.
    /// - Throws: what `resolve` throws for a `T` that isn't optional.
    @_disfavoredOverload
    public func resolve<T: Sendable>() throws -> T? {
        try resolve(T.self)
    }

    private func live() throws(ContainerError) -> ContainerStorage {
        guard let storage else { throw .ended }
        return storage
    }
}
